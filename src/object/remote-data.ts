/**
 * Data of other objects that a handler needs before it can decide. A handler is synchronous, so it
 * throws what it needs before anything is written, and runs again with the data.
 *
 * Every handler that creates a session, by a create or a fork, needs a `QuotaPermit`, and only this
 * file issues one: no new way to create sessions can bypass the quotas of an owner.
 */
import type { Failure } from "../domain/failure";
import type { SessionId } from "../domain/ids";
import type { QuotaTable, Quotas } from "../domain/owners/owners";
import { ok, refuse, type Result } from "../domain/result";
import type { Session } from "../domain/session/session";
import type { Env } from "../env";
import { findEndedSessions } from "./post-commit-effects";
import { directoryOf } from "./notify-directory";

type RemoteQuery =
  | {
      readonly about: "vacancy";
      readonly owner: string;
      readonly objectIdHex: string;
      readonly quotas: Quotas;
    }
  | { readonly about: "children"; readonly ids: readonly SessionId[] };

/** The data that was fetched for a request that runs again. */
export interface RemoteData {
  readonly quotaCheck?: { readonly objectIdHex: string; readonly problem: Failure | null };
  readonly endedChildren?: readonly SessionId[];
}

/** Part of a request that can create a session. */
export interface SessionCreationInput {
  /** Only for owners that have quotas. */
  readonly quotas?: QuotaTable;
  readonly answers?: RemoteData;
}

class NeedsRemoteData extends Error {
  readonly query: RemoteQuery;

  constructor(query: RemoteQuery) {
    super(`to be asked first: ${query.about}`);
    this.query = query;
  }
}

const permit: unique symbol = Symbol("vacant");
/** Permits one more session of an owner. */
export interface QuotaPermit {
  readonly [permit]: true;
}
const PERMIT: QuotaPermit = { [permit]: true };

/** For the child of a committed fork: the parent's commit needed a permit already. */
export const PROMISED_PERMIT = PERMIT;

/**
 * May one more session of this owner be created in this object? A session without an owner always
 * may.
 */
export function quotaPermitFor(
  { quotas, answers }: SessionCreationInput,
  owner: string | null,
  objectIdHex: string,
): Result<QuotaPermit> {
  const own = owner === null ? undefined : quotas?.[owner];
  if (owner === null || own === undefined) return ok(PERMIT);
  const { quotaCheck } = answers ?? {};
  if (quotaCheck?.objectIdHex !== objectIdHex) {
    throw new NeedsRemoteData({ about: "vacancy", owner, objectIdHex, quotas: own });
  }
  return quotaCheck.problem === null ? ok(PERMIT) : refuse(quotaCheck.problem);
}

/** Which children have ended or are gone? */
export function endedChildrenOf(
  { answers }: SessionCreationInput,
  { children }: Session,
): readonly SessionId[] {
  if (answers?.endedChildren !== undefined) return answers.endedChildren;
  throw new NeedsRemoteData({ about: "children", ids: children.map(({ sessionId }) => sessionId) });
}

/** Runs a handler, and again with the data for each thing that it needs first. */
export async function runWithRemoteData<R>(
  env: Env,
  run: (answers: RemoteData) => Promise<R>,
): Promise<R> {
  for (let answers: RemoteData = {}; ; ) {
    try {
      return await run(answers);
    } catch (error) {
      if (!(error instanceof NeedsRemoteData)) throw error;
      answers = { ...answers, ...(await fetchRemoteData(env, error.query)) };
    }
  }
}

async function fetchRemoteData(env: Env, query: RemoteQuery): Promise<RemoteData> {
  if (query.about === "children") return { endedChildren: await findEndedSessions(env, query.ids) };
  const { objectIdHex } = query;
  return { quotaCheck: { objectIdHex, problem: await quotaProblem(env, query) } };
}

const RETRY_MS = 1_000;

/** Creates that run at the same time may exceed the quota. */
async function quotaProblem(
  env: Env,
  { owner, objectIdHex, quotas }: Extract<RemoteQuery, { about: "vacancy" }>,
): Promise<Failure | null> {
  try {
    const exceeded = await directoryOf(env, { owner }).admit(objectIdHex, quotas);
    return exceeded === null ? null : { code: "quota_exceeded", ...exceeded };
  } catch {
    return { code: "overloaded", retryAfterMs: RETRY_MS };
  }
}
