/**
 * What a run can observe around its sessions: an owner's list, webhooks, exports, malformed requests. An
 * observer starts before the first session and stops after the last; what it saw is part of the history.
 * Each kind of observation has one optional member here and laws of its own.
 */
import type { StoredState } from "./driver.ts";
import type { Arguments, History } from "./history.ts";
import type { ExportObservation } from "./laws/evidence.ts";
import type { MalformedObservation } from "./laws/malformed.ts";
import type { WebhookObservation } from "./laws/notices.ts";
import type { DirectoryObservation } from "./laws/owners.ts";
import type { OperationName } from "./operations.ts";

export interface Observations {
  readonly directory?: DirectoryObservation;
  readonly webhooks?: WebhookObservation;
  readonly exports?: readonly ExportObservation[];
  readonly malformed?: MalformedObservation;
}

export interface Period {
  readonly from: number;
  readonly to: number;
}

export interface ObservedRun {
  readonly seed: number;
  /** Address of the server. */
  readonly url: string;
  /** The same for connections that stay open: these are cut. */
  readonly streamUrl: string;
  /** Holds everything that the server stores. */
  readonly dataFolder: string;
  /** When the whole server was down, stopped, or without space on its disk. */
  readonly outages: readonly Period[];
  /** When the server's clock was set back. */
  readonly clockSetBack: readonly number[];
  /** What is stored of a session, whatever its API shows. */
  stored(sessionId: string): Promise<StoredState>;
}

/** A request that the creator of a session sends before anything else. */
export interface FirstRequest {
  readonly operation: OperationName;
  readonly args: Arguments;
}

export interface EndedSession {
  readonly id: string;
  /** The newest of its creator. */
  readonly token: string;
  readonly history: History;
}

export interface Observer {
  /** Settings that the server must be started with. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Added to the request that creates a session: an owner's key, for example. */
  createHeaders?(): Readonly<Record<string, string>>;
  /** Added to the body of the request that creates a session. */
  createBody?(): Readonly<Record<string, unknown>>;
  firstRequests?(): readonly FirstRequest[];
  start(run: ObservedRun): Promise<void>;
  /** Called once a session has ended, while the server still runs. */
  sessionEnded?(session: EndedSession): Promise<void>;
  /**
   * Called when all sessions have ended, and again until no law is broken or the patience of the run is over:
   * what is only promised for later may need a while.
   */
  observe?(): Promise<void>;
  stop?(): Promise<void>;
  /** What it did, counted. */
  figures?(): Readonly<Record<string, number>>;
  contribute(observations: Observations): Observations;
}
