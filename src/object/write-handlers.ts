/** One handler per write. Each decides and commits synchronously. */
import { RowTooLarge } from "../storage/row-size";
import { arcpConfirm, arcpResume } from "./arcp";
import { saveBlob, prepareBlob } from "./blobs";
import { createChild, createSession } from "./create";
import type { SessionContext } from "./session-context";
import type { ChildPlan } from "../domain/checkpoints/fork";
import type { OnceRecord } from "../domain/leases/once";
import { ok } from "../domain/result";
import type { RpcResponse, RpcRequest, WriteRpcs } from "./session-rpc";
import { append } from "./events";
import { preparePurge } from "./evidence";
import { claimJob, reportJob } from "./executors";
import { cancelJob, cancelJobsOnClose, submitJob } from "./jobs";
import { endOnce, releaseLease, startOnce, takeLease } from "./leases";
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
import { executeCommand } from "./write";
import { isConflict } from "../domain/failure";
import { LIMITS } from "../domain/limits";

type WriteHandler = (context: SessionContext, request: never, now: number) => Reply<unknown>;

interface ChildRequest extends Pick<CreateRequest, "from"> {
  readonly plan: ChildPlan;
  /** Effects that the parent has done. */
  readonly onces?: readonly OnceRecord[];
}

export const WRITE_HANDLERS = {
  /** The operations that spend a token. */
  command: executeCommand,
  create: createSession,
  openByKey: openSession,
  /** Returns the content that the certificate lists. The object then deletes all its storage. */
  purge: preparePurge,
  reportStop,
  takeLease,
  releaseLease,
  startOnce,
  endOnce,
  /**
   * Called by the parent session after it has committed the plan of the child. Returns null if the
   * child is gone or the caller may no longer see it.
   */
  createChild: (context: SessionContext, { plan, from, onces }: ChildRequest, now: number) =>
    ok(createChild(context, plan, from, now, onces)),
  openLink,
  declineLink,
  saveUpload,
  /** Checks that the blob may be sent. Returns true if the session already has these bytes. */
  prepareBlob: prepareBlob,
  saveBlob,
  submitJob,
  cancelJob,
  /** Called when a client closes its session: cancels the jobs whose policy is `cancel`. */
  cancelJobsOnClose: cancelJobsOnClose,
  claimJob,
  reportJob,
  recordJobEvent,
  arcpResume,
  arcpConfirm: (context: SessionContext, { credential }: AuthenticatedRequest, now: number) =>
    arcpConfirm(context, credential, now),
  saveWatchCursor,
  mirrorEvents,
  /** Called by the object of an endpoint of this session. */
  recordEndpointStatus,
} satisfies Readonly<Record<string, WriteHandler>>;

export function executeWrite<K extends keyof WriteRpcs>(
  context: SessionContext,
  request: RpcRequest<WriteRpcs, K>,
  now: number,
): RpcResponse<WriteRpcs, K> {
  const { kind } = request as { readonly kind: K };
  return catchRowTooLarge(() =>
    (WRITE_HANDLERS[kind] as WriteHandler)(context, request as never, now),
  ) as RpcResponse<WriteRpcs, K>;
}

export const executeAppend = (
  context: SessionContext,
  batch: AppendRequest,
  now: number,
): Reply<AppendOutcome> => catchRowTooLarge(() => append(context, batch, now));

/** Refuses a write whose row is too large. Its transaction is rolled back. */
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
 * Answers conflicting writers one at a time. If all of them got their response at once, all would
 * retry at once, and all but one would conflict again. So the first one gets its response at once.
 * The others wait until it has written, at most `turnMs`; then the next one runs again and gets its
 * response, and so on. A single conflicting writer never waits.
 */
export class ConflictQueue {
  readonly #waiting: (() => void)[] = [];
  #turn: ReturnType<typeof setTimeout> | null = null;

  /** Runs `attempt`, which is synchronous. If it conflicts, it may wait for its turn and run again. */
  async run<T extends AnyReply>(attempt: () => T): Promise<T> {
    const reply = attempt();
    if (reply.failure === undefined || !isConflict(reply.failure)) {
      if (reply.ok) this.#endTurn();
      return reply;
    }
    if (this.#turn === null) {
      this.#startTurn();
      return reply;
    }
    if (this.#waiting.length >= LIMITS.queuedConflicts) return reply;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return attempt();
  }

  #startTurn(): void {
    this.#turn = setTimeout(() => this.#endTurn(), LIMITS.turnMs);
  }

  /** The session has changed, or the caller whose turn it was has not retried. */
  #endTurn(): void {
    if (this.#turn === null) return;
    clearTimeout(this.#turn);
    this.#turn = null;
    const startNext = this.#waiting.shift();
    if (startNext === undefined) return;
    this.#startTurn();
    startNext();
  }
}
