/**
 * `@baton-sessions/baton/client`: the SDK. It has no dependency and runs in Node, Cloudflare
 * Workers and browsers.
 */
export { Baton, isUnanswered, type ConnectOptions } from "./baton";
export type { AskOutcome, AskInput, AskOptions } from "./ask-person";
export { systemClock, type Clock } from "./clock";
export {
  ConflictError,
  LeaseLostError,
  SessionEndedError,
  StoreBusyError,
  StoreError,
  TransportError,
  UnknownOutcomeError,
  unwrap,
  WireError,
  type Conflict,
  type Problem,
  type WriteResult,
} from "./errors";
export type { FollowOptions } from "./event-feed";
export type {
  AppendInput,
  CatalogueEvent,
  EventOf,
  EventSchemas,
  EventsOf,
  OwnEvents,
  SessionEvent,
  TypedEvent,
} from "./events";
export type {
  Fields,
  FieldsOf,
  FieldsSchema,
  FieldsInput,
  FieldsView,
  StandardSchema,
} from "./fields";
export type { WaitOptions } from "./wait-for";
export type * from "./inputs";
export type { LargeContent } from "./large-content";
export type { Settled } from "./settled";
export type * from "./outputs";
export type { Progress } from "./progress";
export { classifyError, StopError } from "./run-with-resume";
export type { RunOptions, RunOutcome, Work, WorkContext } from "./run-with-resume";
export type { Lease, LeaseOptions, OnceOptions } from "./lease";
export { Session } from "./session";
export type {
  AppendOptions,
  Change,
  ForkResult,
  LeaseContext,
  SetOptions,
  UpdateOptions,
} from "./session";
export { SessionKind } from "./session-kind";
export { SessionListing, Sessions } from "./sessions";
export { Endpoints } from "./endpoints";
export { Templates } from "./templates";
export { LocalStorageTokenStore, MemoryTokenStore, readSaved, Turns } from "./token-store";
export type { PendingRequest, SavedSession, TokenStore } from "./token-store";
export type { RetryOptions, WireAnswer } from "./transport";
export type { Actor } from "../domain/participants/actor";
export type { LogEvent } from "../domain/log/event";
export type { EventPayloads, EventType } from "../domain/log/payloads";
export type { JobStatus, JobView } from "../domain/jobs/job";
export type { Json, JsonObject } from "../domain/json";
export type { StopReason, Strategy } from "../domain/stops/policy";
export type { Scope } from "../domain/participants/scope";
export type { NextStep } from "../domain/session/session";
export type { State } from "../domain/session/state";
export type { StopDecision } from "../domain/stops/stop";
export type { ParticipantView, SessionView } from "../domain/session/view";
