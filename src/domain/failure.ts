/** Every expected way a request can fail, with the facts of the case and no wording. */
import type { Operation } from "./session/operation";
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
  /** `session`: the key is good, and its owner has no such session. */
  | { readonly code: "token_invalid"; readonly what?: "key" | "session" | "metrics" }
  | {
      readonly code: "scope_denied";
      readonly needed: Scope | Right;
      readonly why:
        | "lacking"
        | "wider_than_own"
        | "own_work"
        | "not_yours"
        | "filled"
        | "bound_elsewhere"
        /** Not a participant: an owner's key that lacks a right. */
        | "key_lacks"
        /** What no key does: it takes a participant. */
        | "not_by_key"
        | "not_asked"
        | "declined"
        /** Reviewers must be known by their OpenID provider. */
        | "identity_required"
        /** The token that names somebody is not right. */
        | "identity_invalid";
    }
  | { readonly code: "not_found"; readonly what: string }
  | { readonly code: "method_not_allowed"; readonly allow: readonly string[] }
  | { readonly code: "token_superseded" }
  | {
      readonly code: "version_conflict";
      /** What the caller has seen: a version, or for a strict append the head. */
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
  /** Of an owner's changes: those up to this number are no longer kept. */
  | { readonly code: "replay_gap"; readonly changes: number }
  | { readonly code: "checkpoint_corrupt" }
  | { readonly code: "busy"; readonly retryAfterMs: number }
  | {
      readonly code: "expired";
      readonly expiresAt: number;
      /** `ended`: by its end and not by its time. */
      readonly what: "session" | "participant" | "ended";
    }
  | { readonly code: "gone"; readonly what?: "template" }
  | {
      readonly code: "too_large";
      readonly what: string;
      readonly limit: number;
      /** Of a total: how much of it there is already. */
      readonly used?: number;
    }
  | { readonly code: "length_required" }
  | {
      readonly code: "unsupported_media_type";
      /** What is wanted instead of JSON. */
      readonly wanted?: string;
    }
  | { readonly code: "invalid_fields"; readonly problems: readonly FieldProblem[] }
  | { readonly code: "missing_fields"; readonly problems: readonly FieldProblem[] }
  | {
      readonly code: "idempotency_mismatch";
      readonly why: "other_request" | "too_old" | "purged";
    }
  /** By a purged one: the next place of that name is free. */
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
      readonly what: string;
      readonly retryAfterMs: number;
      /** Of a limit on how often: its name, and so many in so many seconds. */
      readonly quota?: { readonly name: string; readonly limit: number; readonly period: number };
    }
  | { readonly code: "internal" }
  | {
      readonly code: "not_configured";
      /** What the operator has to set, and what is wrong with it. */
      readonly setting: string;
      readonly why: string;
    }
  | {
      readonly code: "overloaded";
      readonly retryAfterMs: number;
      /** The data is newer than this code: a deploy is on its way, or was taken back. Or no more fits. */
      readonly why?: "newer_data" | "disk_full";
    };

export type FailureCode = Failure["code"];

/** The session moved on meanwhile: looked at anew, the same may be written again. */
export const isConflict = ({ code }: { readonly code: string }): boolean =>
  code === "precondition_failed" || code === "version_conflict";

export const invalid = (detail: string, at?: string): Failure => ({
  code: "invalid_request",
  detail,
  ...(at === undefined ? {} : { at }),
});

/** `used` says of a total how much of it there is already. */
export const tooLarge = (what: string, limit: number, used?: number): Failure => ({
  code: "too_large",
  what,
  limit,
  ...(used === undefined ? {} : { used }),
});
