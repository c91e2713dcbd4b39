/**
 * What a handler must know of other objects before it can decide. A handler never waits, so it throws
 * its question before anything is written, and runs again with the answer.
 *
 * Whatever begins a session, a create or a fork, needs a `Vacancy`, and only this file makes one: no
 * new way to begin can pass the quotas of an owner.
 */
import type { Failure } from "../domain/failure";
import type { SessionId } from "../domain/ids";
import type { QuotaTable, Quotas } from "../domain/owners/owners";
import { ok, refuse, type Result } from "../domain/result";
import type { Session } from "../domain/session/session";
import type { Env } from "../env";
import { findEndedSessions } from "./post-commit-effects";
import { directoryOf } from "./notify-directory";

type Question =
  | {
      readonly about: "vacancy";
      readonly owner: string;
      readonly objectIdHex: string;
      readonly quotas: Quotas;
    }
  | { readonly about: "children"; readonly ids: readonly SessionId[] };

/** What was found out for a request that runs again. */
export interface RemoteData {
  readonly quotaCheck?: { readonly objectIdHex: string; readonly problem: Failure | null };
  readonly endedChildren?: readonly SessionId[];
}

/** A request that can begin a session. */
export interface SessionCreationInput {
  /** Of the owners that have any. */
  readonly quotas?: QuotaTable;
  readonly answers?: RemoteData;
}

class NeedsRemoteData extends Error {
  readonly question: Question;

  constructor(question: Question) {
    super(`to be asked first: ${question.about}`);
    this.question = question;
  }
}

const vacant: unique symbol = Symbol("vacant");
/** One more session of its owner may begin. */
export interface QuotaPermit {
  readonly [vacant]: true;
}
const VACANT: QuotaPermit = { [vacant]: true };

/** A child was promised by a commit of its parent, which needed a vacancy for it. */
export const PROMISED_PERMIT = VACANT;

/** May one more session of this owner begin in this object? A session of nobody always may. */
export function quotaPermitFor(
  { quotas, answers }: SessionCreationInput,
  owner: string | null,
  objectIdHex: string,
): Result<QuotaPermit> {
  const own = owner === null ? undefined : quotas?.[owner];
  if (owner === null || own === undefined) return ok(VACANT);
  const { quotaCheck } = answers ?? {};
  if (quotaCheck?.objectIdHex !== objectIdHex) {
    throw new NeedsRemoteData({ about: "vacancy", owner, objectIdHex, quotas: own });
  }
  return quotaCheck.problem === null ? ok(VACANT) : refuse(quotaCheck.problem);
}

/** Which of these sessions have ended or are gone? */
export function endedChildrenOf(
  { answers }: SessionCreationInput,
  { children }: Session,
): readonly SessionId[] {
  if (answers?.endedChildren !== undefined) return answers.endedChildren;
  throw new NeedsRemoteData({ about: "children", ids: children.map(({ sessionId }) => sessionId) });
}

/** Runs a handler, and again with the answer to each thing it has to ask first. */
export async function runWithRemoteData<R>(
  env: Env,
  run: (answers: RemoteData) => Promise<R>,
): Promise<R> {
  for (let answers: RemoteData = {}; ; ) {
    try {
      return await run(answers);
    } catch (error) {
      if (!(error instanceof NeedsRemoteData)) throw error;
      answers = { ...answers, ...(await answerTo(env, error.question)) };
    }
  }
}

async function answerTo(env: Env, question: Question): Promise<RemoteData> {
  if (question.about === "children")
    return { endedChildren: await findEndedSessions(env, question.ids) };
  const { objectIdHex } = question;
  return { quotaCheck: { objectIdHex, problem: await quotaProblem(env, question) } };
}

const RETRY_MS = 1_000;

/** Beginnings that are under way at the same time may pass it. */
async function quotaProblem(
  env: Env,
  { owner, objectIdHex, quotas }: Extract<Question, { about: "vacancy" }>,
): Promise<Failure | null> {
  try {
    const passed = await directoryOf(env, { owner }).admit(objectIdHex, quotas);
    return passed === null ? null : { code: "quota_exceeded", ...passed };
  } catch {
    return { code: "overloaded", retryAfterMs: RETRY_MS };
  }
}
