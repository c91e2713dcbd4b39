/** Every expected way in which a request can fail, with its data and without its text. */
import type { Operation } from "./session/operation";
import type { Actor } from "./participants/actor";
import type { Scope } from "./participants/scope";
import type { Trimmed } from "./session/session";
import type { State } from "./session/state";
import type { Right } from "./owners/owners";

export interface FieldProblem {
  readonly field: string;
  readonly problem: "missing" | "invalid";
  readonly message: string;
}

export type Failure =
  | { readonly code: "invalid_request"; readonly detail: string; readonly at?: string }
  | { readonly code: "credential_missing"; readonly what?: "key" | "metrics" }
  /** `session`: the key is valid, but its owner has no such session. */
  | { readonly code: "token_invalid"; readonly what?: "key" | "session" | "metrics" }
  | {
      readonly code: "scope_denied";
      readonly needed: Scope | Right;
      readonly why:
        | "token_lacks"
        | "wider_than_own"
        | "own_work"
        | "not_yours"
        | "filled"
        | "bound_elsewhere"
        /** The caller is an owner's key that lacks a right. */
        | "key_lacks"
        /** No key can do this. It needs a participant. */
        | "not_by_key"
        | "not_asked"
        /** A participant narrowed by ask, show or events cannot do this. */
        | "narrowed"
        /** It writes more than its `ask`, or appends more than its `events.append`. */
        | "outside_ask"
        | "outside_append"
        /** A handoff names more than its maker's own ask, show and events. */
        | "wider_terms"
        | "declined"
        /** Reviewers must be identified by their OpenID provider. */
        | "identity_required"
        /** The identity token is not valid. */
        | "identity_invalid";
      /** The fields or the types of events that are not allowed. */
      readonly names?: readonly string[];
    }
  | { readonly code: "not_found"; readonly what: string }
  | { readonly code: "method_not_allowed"; readonly allow: readonly string[] }
  | { readonly code: "token_superseded" }
  | {
      readonly code: "version_conflict";
      /** What the caller has seen: a version, or the head for a strict append. */
      readonly seen: number;
      readonly what: "version" | "head";
      readonly actual: number;
    }
  | { readonly code: "precondition_failed"; readonly given: number; readonly version: number }
  | {
      readonly code: "illegal_transition";
      readonly from: State;
      readonly operation: Operation;
      readonly allowed: readonly Operation[];
      readonly why?: "already_approved" | "job_ended";
    }
  | { readonly code: "paused" }
  | { readonly code: "replay_gap"; readonly trimmed: Trimmed }
  /** Owner changes up to this number are no longer stored. */
  | { readonly code: "replay_gap"; readonly changes: number }
  | { readonly code: "checkpoint_corrupt" }
  | {
      readonly code: "busy";
      readonly retryAfterMs: number;
      /** An effect that another lease is working on; otherwise a fork. */
      readonly what?: "once";
    }
  | {
      readonly code: "lease_held";
      readonly name: string;
      /** Not named to a narrowed participant. */
      readonly holder?: { readonly participant: string; readonly actor: Actor };
      readonly retryAfterMs: number;
    }
  | {
      readonly code: "lease_lost";
      readonly name: string;
      readonly number: number;
      /** The lease is held, but another one started what should end. */
      readonly why?: "other_lease";
    }
  | {
      readonly code: "expired";
      readonly expiresAt: number;
      /** `ended`: the session ended before it expired. */
      readonly what: "session" | "participant" | "ended";
    }
  | { readonly code: "gone"; readonly what?: "template" }
  | {
      readonly code: "too_large";
      readonly what: string;
      readonly limit: number;
      /** For a total: how much of it is already used. */
      readonly used?: number;
    }
  | { readonly code: "length_required" }
  | {
      readonly code: "unsupported_media_type";
      /** The media type expected instead of JSON. */
      readonly wanted?: string;
    }
  | { readonly code: "invalid_fields"; readonly problems: readonly FieldProblem[] }
  | { readonly code: "missing_fields"; readonly problems: readonly FieldProblem[] }
  | {
      readonly code: "idempotency_mismatch";
      readonly why: "other_request" | "too_old" | "purged";
    }
  /** The session with this id was purged. The next slot for the id is free. */
  | { readonly code: "external_id_taken"; readonly isPurged?: true }
  | {
      readonly code: "quota_exceeded";
      readonly quota: string;
      readonly used: number;
      readonly allowed: number;
    }
  | { readonly code: "upgrade_required" }
  | {
      readonly code: "rate_limited";
      readonly detail: string;
      readonly retryAfterMs: number;
      /** For a rate limit: its name, and how many requests it allows in how many seconds. */
      readonly quota?: { readonly name: string; readonly limit: number; readonly period: number };
    }
  | { readonly code: "internal" }
  | {
      readonly code: "not_configured";
      /** The setting that the operator must correct. `detail` says what is wrong with it. */
      readonly setting: string;
      readonly detail: string;
    }
  | {
      readonly code: "overloaded";
      readonly retryAfterMs: number;
      /**
       * `newer_data`: the data is newer than this code, because a deploy is in progress or was
       * rolled back. `disk_full`: nothing more can be stored.
       */
      readonly why?: "newer_data" | "disk_full";
    };

export type FailureCode = Failure["code"];

/** The session changed in the meantime. After reading it again, the caller may retry the write. */
export const isConflict = ({ code }: { readonly code: string }): boolean =>
  code === "precondition_failed" || code === "version_conflict";

export const invalid = (detail: string, at?: string): Failure => ({
  code: "invalid_request",
  detail,
  ...(at === undefined ? {} : { at }),
});

/** `used` is how much of a total is already used. */
export const tooLarge = (what: string, limit: number, used?: number): Failure => ({
  code: "too_large",
  what,
  limit,
  ...(used === undefined ? {} : { used }),
});
