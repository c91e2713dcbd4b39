/** One handler per write. Each decides and commits synchronously. */
import { RowTooLarge } from "../storage/row-size";
import { arcpConfirm, arcpResume } from "./arcp";
import { saveBlob, offerBlob } from "./blobs";
import { createChild, createSession } from "./create";
import type { SessionContext } from "./session-context";
import type { ChildPlan } from "../domain/checkpoints/fork";
import { ok } from "../domain/result";
import type { RpcResponse, RpcRequest, Writes } from "./session-rpc";
import { append } from "./events";
import { certifyPurge } from "./evidence";
import { claimJob, reportJob } from "./executors";
import { cancelJob, closeJobs, submitJob } from "./jobs";
import type {
  AppendOutcome,
  AppendRequest,
  AuthenticatedRequest,
  CreateRequest,
  Reply,
} from "./messages";
import { recordEndpointStatus } from "./session-endpoints";
import { openSession } from "./open-by-key";
import { declineLink, openLink } from "./open-link";
import { reportStop } from "./report-stop";
import { saveUpload } from "./uploads";
import { saveWatchCursor, mirrorEvents, recordJobEvent } from "./watch";
import { write } from "./write";
import { isConflict } from "../domain/failure";
import { LIMITS } from "../domain/limits";

type Write = (context: SessionContext, request: never, now: number) => Reply<unknown>;

export const WRITES = {
  /** The operations that spend a token. */
  command: write,
  create: createSession,
  openByKey: openSession,
  // The object then empties its storage.
  purge: certifyPurge,
  reportStop,
  /**
   * From the parent, which has committed it. Null if the child is gone or the caller may no longer
   * see it.
   */
  beginChild: (
    context: SessionContext,
    { plan, from }: { readonly plan: ChildPlan } & Pick<CreateRequest, "from">,
    now: number,
  ) => ok(createChild(context, plan, from, now)),
  openLink,
  declineLink,
  keepStored: saveUpload,
  /** True if the session holds these bytes already. */
  offerBlob,
  keepBlob: saveBlob,
  submitJob,
  cancelJob,
  /** An explicit close: cancels the jobs whose policy requires it. */
  closeJobs,
  claimJob,
  reportJob,
  noteJob: recordJobEvent,
  arcpResume,
  arcpConfirm: (context: SessionContext, { credential }: AuthenticatedRequest, now: number) =>
    arcpConfirm(context, credential, now),
  keepWatching: saveWatchCursor,
  mirror: mirrorEvents,
  /** From an endpoint of this session. */
  noteEndpoint: recordEndpointStatus,
} satisfies Readonly<Record<string, Write>>;

export function executeWrite<K extends keyof Writes>(
  context: SessionContext,
  command: RpcRequest<Writes, K>,
  now: number,
): RpcResponse<Writes, K> {
  const { kind } = command as { readonly kind: K };
  return catchRowTooLarge(() =>
    (WRITES[kind] as Write)(context, command as never, now),
  ) as RpcResponse<Writes, K>;
}

export const executeAppend = (
  context: SessionContext,
  batch: AppendRequest,
  now: number,
): Reply<AppendOutcome> => catchRowTooLarge(() => append(context, batch, now));

/** Turns a row that is too large into a refusal; nothing of the write is left. */
function catchRowTooLarge<T>(transact: () => Reply<T>): Reply<T> {
  try {
    return transact();
  } catch (error) {
    if (error instanceof RowTooLarge) return { ok: false, failure: error.failure };
    throw error;
  }
}

interface AnyReply {
  readonly ok: boolean;
  readonly failure?: { readonly code: string };
}

/**
 * Callers that lose a race for the version are answered in turn. If all losers were shown the
 * session at once, all would retry at once, and all but one would lose again. So the first is
 * answered at once and has the next write to itself for a moment; the others are answered one after
 * the other, each with the session as it is by then. A single loser never waits.
 */
export class ConflictQueue {
  readonly #waiting: (() => void)[] = [];
  #turn: ReturnType<typeof setTimeout> | null = null;

  /** Runs `write`, which is synchronous; if it loses, once more when its turn comes. */
  async run<T extends AnyReply>(write: () => T): Promise<T> {
    const reply = write();
    if (reply.failure === undefined || !isConflict(reply.failure)) {
      if (reply.ok) this.#endTurn();
      return reply;
    }
    if (this.#turn === null) {
      this.#startTurn();
      return reply;
    }
    if (this.#waiting.length >= LIMITS.waitingLosers) return reply;
    await new Promise<void>((settle) => this.#waiting.push(settle));
    return write();
  }

  #startTurn(): void {
    this.#turn = setTimeout(() => this.#endTurn(), LIMITS.turnMs);
  }

  /** The session has changed, or the caller whose turn it was has not retried. */
  #endTurn(): void {
    if (this.#turn === null) return;
    clearTimeout(this.#turn);
    this.#turn = null;
    const resume = this.#waiting.shift();
    if (resume === undefined) return;
    this.#startTurn();
    resume();
  }
}
