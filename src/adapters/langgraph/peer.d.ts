/**
 * What is used of `@langchain/langgraph-checkpoint`, an optional peer that is not installed here. A
 * suite that installs the real package compiles against its own types.
 */
declare module "@langchain/langgraph-checkpoint" {
  export interface RunnableConfig {
    // oxlint-disable-next-line typescript/no-explicit-any -- as the peer declares it
    configurable?: Record<string, any>;
  }
  export interface SerializerProtocol {
    // oxlint-disable-next-line typescript/no-explicit-any -- as the peer declares it
    dumpsTyped(data: any): Promise<[string, Uint8Array]>;
    // oxlint-disable-next-line typescript/no-explicit-any -- as the peer declares it
    loadsTyped(type: string, data: Uint8Array | string): Promise<any>;
  }
  export type ChannelVersions = Record<string, number | string>;
  export interface Checkpoint {
    v: number;
    id: string;
    ts: string;
    channel_values: Record<string, unknown>;
    channel_versions: ChannelVersions;
    versions_seen: Record<string, ChannelVersions>;
  }
  // oxlint-disable-next-line typescript/no-explicit-any -- as the peer declares it
  export type CheckpointMetadata = any;
  export type PendingWrite = [string, unknown];
  export type CheckpointPendingWrite = [string, string, unknown];
  export interface CheckpointTuple {
    config: RunnableConfig;
    checkpoint: Checkpoint;
    metadata?: CheckpointMetadata;
    parentConfig?: RunnableConfig;
    pendingWrites?: CheckpointPendingWrite[];
  }
  export interface CheckpointListOptions {
    limit?: number;
    before?: RunnableConfig;
    // oxlint-disable-next-line typescript/no-explicit-any -- as the peer declares it
    filter?: Record<string, any>;
  }
  export abstract class BaseCheckpointSaver {
    /** How values are serialized. */
    serde: SerializerProtocol;
    constructor(serde?: SerializerProtocol);
    /** The version of a channel after this one. */
    getNextVersion(current: number | undefined): number;
  }
  export const WRITES_IDX_MAP: Record<string, number>;
  export const TASKS: string;
  export function maxChannelVersion(...versions: (number | string)[]): number | string;
  export function getCheckpointId(config: RunnableConfig): string;
}
