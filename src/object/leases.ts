/**
 * Leases of names, and effects that happen once under a lease. None of them spends a token or moves
 * the version. Whether a request's own lease is held, admission has decided before.
 */
import { decideLease, heldLeases, viewLease } from "../domain/leases/lease";
import { withLease, withoutLease, type LeaseView } from "../domain/leases/lease";
import { decideEnd, decideStart, LEASE_NEEDED } from "../domain/leases/once";
import type { OnceView } from "../domain/leases/once";
import type { LogEvent } from "../domain/log/event";
import { splitEvents } from "../domain/log/event-line";
import { invalid, type Failure } from "../domain/failure";
import { jsonBytes, type Json } from "../domain/json";
import { ok, refuse, type Result } from "../domain/result";
import { admittedHandler } from "./admitted-handler";
import { commitChange, saveWithoutEvent } from "./commit";
import { findByKey, keyMismatch } from "./events";
import { identify, replyTo, type IdentifiedCaller } from "./gate";
import type { AuthenticatedRequest, Handler, Reply, RequestKey } from "./messages";

interface KeyedRequest extends AuthenticatedRequest {
  readonly key: RequestKey | null;
}

/** Answers a request with a key that was used before; everything else goes to the handler. */
const keyedHandler =
  <R extends KeyedRequest, V>(
    handle: Handler<R, V>,
    replay: (event: LogEvent, caller: IdentifiedCaller) => V,
  ): Handler<R, V> =>
  (context, request, now): Reply<V> => {
    const { key } = request;
    if (key === null) return handle(context, request, now);
    const caller = identify(context, request.credential, now);
    if (!caller.ok) return caller;
    const earlier = findByKey(caller.value, key, (number, hash) =>
      context.store.appendByKey(number, hash),
    );
    if (earlier === null) return handle(context, request, now);
    if (earlier.request !== key.request) return keyMismatch(context, caller.value, now);
    const [line = "{}"] = splitEvents(context.store.commitAt(earlier.first)?.lines ?? "{}");
    return replyTo(caller.value, replay(JSON.parse(line) as LogEvent, caller.value));
  };

interface TakeRequest extends KeyedRequest {
  readonly name: string;
  readonly ttlMs: number;
  readonly number: number | null;
}

interface LeaseOutcome {
  readonly lease: LeaseView;
  readonly replayed: boolean;
}

/** Taking writes the event and the session's row; renewing writes only the row. */
export const takeLease: Handler<TakeRequest, LeaseOutcome> = keyedHandler(
  admittedHandler(
    "takeLease",
    (viewer, context, request: TakeRequest, now): Result<LeaseOutcome> => {
      const { session, participant, participants, plan } = viewer;
      const decided = decideLease(request, participant, heldLeases(viewer, now), now);
      if (!decided.ok) return decided;
      if (decided.value.kind === "renew") {
        const { lease } = decided.value;
        const renewed = withLease(participants, participant.number, lease, now);
        saveWithoutEvent(context, { session, participants: renewed, plan });
        return ok({ lease: viewLease(lease), replayed: false });
      }
      const { event, expiresAt } = decided.value;
      const { name, key, credential } = request;
      const { commit } = commitChange(context, session, now, {
        by: participant,
        events: [event],
        trace: credential.trace,
        key,
        row: {
          participants: ({ first: number }) =>
            withLease(participants, participant.number, { name, number, expiresAt }, now),
          plan,
          adds: "nothing",
        },
      });
      return ok({ lease: viewLease({ name, number: commit.first, expiresAt }), replayed: false });
    },
  ),
  ({ seq: number, payload }, { participant }) => {
    // A lease that was renewed since is shown as it is now.
    const current = participant.leases?.find((lease) => lease.number === number);
    const taken = {
      name: String(payload["name"]),
      number,
      expiresAt: String(payload["expiresAt"]),
    };
    return { lease: current === undefined ? taken : viewLease(current), replayed: true };
  },
);

type ReleaseRequest = AuthenticatedRequest & { readonly name: string };

/** The request names the lease with its number, so a late release cannot end the next lease. */
export const releaseLease = admittedHandler(
  "releaseLease",
  (viewer, context, { name, credential }: ReleaseRequest, now) => {
    const { session, participant, participants, plan } = viewer;
    const { lease, trace } = credential;
    if (lease === undefined) return refuse(LEASE_NEEDED);
    if (lease.name !== name) return refuse(OTHER_NAME);
    commitChange(context, session, now, {
      by: participant,
      events: [{ type: "lease.released", payload: { name, number: lease.number } }],
      trace,
      row: { participants: withoutLease(participants, lease, now), plan, adds: "nothing" },
    });
    return ok(null);
  },
);

const OTHER_NAME: Failure = invalid("Baton-Lease names another lease than the path", "Baton-Lease");

interface StartRequest extends KeyedRequest {
  readonly onceKey: string;
  readonly retry: boolean;
}

interface OnceOutcome {
  readonly once: OnceView;
  /** False if the answer only tells what is known. */
  readonly isStarted: boolean;
  readonly replayed: boolean;
}

export const startOnce: Handler<StartRequest, OnceOutcome> = keyedHandler(
  admittedHandler(
    "startOnce",
    (viewer, context, request: StartRequest, now): Result<OnceOutcome> => {
      const { onceKey, retry, key, credential } = request;
      const { lease, trace } = credential;
      if (lease === undefined) return refuse(LEASE_NEEDED);
      const decided = decideStart(onceKey, lease, retry, {
        record: context.onces.find(onceKey),
        held: heldLeases(viewer, now),
        count: () => context.onces.count(),
        now,
      });
      if (!decided.ok) return decided;
      if (decided.value.kind === "answer")
        return ok({ once: decided.value.once, isStarted: false, replayed: false });
      commitChange(context, viewer.session, now, {
        by: viewer.participant,
        events: [decided.value.event],
        trace,
        key,
        extraWrites: () =>
          context.onces.save({ key: onceKey, lease: lease.number, doneSeq: null, result: null }),
      });
      return ok({ once: { key: onceKey, status: "started" }, isStarted: true, replayed: false });
    },
  ),
  ({ payload }) => {
    const once = { key: String(payload["key"]), status: "started" } as const;
    return { once, isStarted: true, replayed: true };
  },
);

type EndRequest = AuthenticatedRequest & { readonly onceKey: string; readonly result: Json };

/** Repeated, it shows the result that was recorded first. */
export const endOnce = admittedHandler(
  "endOnce",
  (viewer, context, { onceKey, result, credential }: EndRequest, now): Result<OnceView> => {
    const { lease, trace } = credential;
    if (lease === undefined) return refuse(LEASE_NEEDED);
    const record = context.onces.find(onceKey);
    const decided = decideEnd(onceKey, lease, result, record, () => context.onces.bytes());
    if (!decided.ok) return decided;
    if (decided.value.kind === "answer") return ok(decided.value.once);
    const text = JSON.stringify(result);
    const done = { key: onceKey, lease: lease.number, result: text };
    commitChange(context, viewer.session, now, {
      by: viewer.participant,
      events: [decided.value.event],
      trace,
      extraBytes: jsonBytes(result),
      extraWrites: ({ first }) => context.onces.save({ ...done, doneSeq: first }),
    });
    return ok({ key: onceKey, status: "done", result });
  },
);
