/**
 * The use cases of jobs that every face shares: for those who take part in a session, and for the
 * executors, who hold an agent's key and then a job token. Secrets are drawn and hashed here.
 */
import { findAgent, type AgentEntry } from "../domain/jobs/agents";
import { agentsFromSetting } from "../domain/jobs/agents-setting";
import {
  locateQueue,
  previousQueueLocations,
  queuesForExecutor,
  type QueueLocation,
} from "../domain/jobs/queues";
import { bytesToHex } from "../domain/base64url";
import type { Failure } from "../domain/failure";
import { sessionIdFromHex } from "../domain/ids";
import { parseJobId, type JobView } from "../domain/jobs/job";
import type { JobSubmission, JobReport } from "../domain/jobs/job-rules";
import type { Json } from "../domain/json";
import { KEY_PREFIX } from "../domain/owners/owners";
import { ok, refuse, type Result } from "../domain/result";
import type { JobCredential, ListJobsRequest, ReportOutcome } from "../object/job-messages";
import type { Reply } from "../object/messages";
import { requestKeyOf } from "./answer-secrets";
import { WakeSignal } from "./wake-signal";
import { bearerIn } from "./caller";
import { countIfInvalid } from "./rate-limiter";
import { formatToken, JOB_TOKEN_PREFIX, parseToken, type RawToken } from "./token";
import { admitKey, keylessOwner, ownerNames } from "./owner-keys";
import { withTrace, MALFORMED, type UnverifiedCredential, UseCases } from "./session-calls";
import { generateSecret, hashRequest, hashSecret } from "./secrets";

interface ClaimAnswer {
  readonly job: JobView;
  readonly input: Json;
  readonly jobToken: RawToken;
  readonly leaseMs: number;
}

/** A job token, taken apart; proves nothing about its secret yet. */
export interface UnverifiedJobCredential {
  readonly objectId: DurableObjectId;
  readonly hashed: JobCredential;
}

/** One who may take the jobs of an agent, from these queues. */
export interface Executor {
  readonly name: string;
  readonly queues: readonly QueueLocation[];
}

const TOKEN_INVALID: Failure = { code: "token_invalid" };
const NO_AGENT: Failure = { code: "not_found", what: "agent" };
/** What the name means to somebody: to sessions of nobody, and to each owner that has such an agent. */
function entriesOf(agents: readonly AgentEntry[], name: string): readonly AgentEntry[] {
  const owners = new Set(agents.map(({ owner }) => owner ?? null));
  const meant = [...owners].map((owner) => findAgent(agents, name, owner));
  return [...new Set(meant)].filter((entry) => entry !== null);
}

export class JobGateway extends UseCases {
  /** Or that the deployment's list cannot be read. */
  readonly agents = agentsFromSetting(this.env.AGENTS);

  submit(
    credential: UnverifiedCredential,
    submission: JobSubmission,
    idempotencyKey: string | null,
  ) {
    // The same job may be asked for again under another trace.
    const { traceId: _, ...identity } = submission;
    const key = requestKeyOf("job", identity, null, idempotencyKey);
    // Whoever executes it goes on in the trace of the one who asked for it.
    const traceId = submission.traceId ?? this.caller.telemetry?.trace?.traceId;
    const asked = { submission: { ...submission, traceId }, key };
    return this.calls.write(credential, "submitJob", asked);
  }

  list(credential: UnverifiedCredential, query: Omit<ListJobsRequest, "credential">) {
    return this.calls.read(credential, "listJobs", query);
  }

  get(credential: UnverifiedCredential, jobId: string) {
    return this.calls.read(credential, "getJob", { number: numberIn(credential, jobId) });
  }

  cancel(credential: UnverifiedCredential, jobId: string, reason: string | undefined) {
    const number = numberIn(credential, jobId);
    return this.calls.write(credential, "cancelJob", { number, reason });
  }

  close(credential: UnverifiedCredential, reason: string | undefined) {
    return this.calls.write(credential, "closeJobs", { reason });
  }

  /** Whose jobs may be taken by who presents this? A name that is not listed reaches no queue. */
  async admitExecutor(name: string, authorization: string | null): Promise<Result<Executor>> {
    const key = bearerIn(authorization);
    const { ownerKey } = this.caller;
    if (!this.agents.ok) return this.agents;
    const agents = this.agents.value;
    if (ownerKey?.startsWith(KEY_PREFIX)) return this.#admitOwner(agents, name, ownerKey);
    const theirs = entriesOf(agents, name);
    if (theirs.length === 0) return refuse(NO_AGENT);
    const keyless = theirs.find(
      ({ keyHash, owner }) => keyHash === undefined && owner === undefined,
    );
    if (keyless !== undefined) {
      // Any website can reach a server on its visitor's machine: without a key, only programs claim.
      if (this.caller.isFromOtherOrigin) return refuse({ code: "credential_missing" });
      const attributed = keylessOwner(this.env);
      const owners = attributed === null ? [] : [attributed];
      return ok({ name, queues: queuesForExecutor(keyless, agents, name, owners) });
    }
    const what = `agent ${name}`;
    const barred = this.calls.rateLimiter.blockProblem("wrongToken", what);
    if (barred !== null) return refuse(barred);
    if (key === null) return refuse({ code: "credential_missing" });
    const hash = await sha256Hex(key);
    const entry = theirs.find(({ keyHash }) => keyHash?.toLowerCase() === hash);
    if (entry === undefined)
      return refuse(await this.calls.rateLimiter.countInvalid(what, TOKEN_INVALID));
    return ok({ name, queues: queuesForExecutor(entry, agents, name, ownerNames(this.env)) });
  }

  /** With the key of an owner: that owner's jobs, whichever agent is meant by the name. */
  async #admitOwner(agents: readonly AgentEntry[], name: string, key: string) {
    const holder = await admitKey(this.caller, key, this.calls.rateLimiter, "open");
    if (!holder.ok) return holder;
    const { name: owner } = holder.value.owner;
    if (findAgent(agents, name, owner) === null) return refuse(NO_AGENT);
    return ok({ name, queues: [locateQueue(agents, owner, name)] });
  }

  /** The executor's next job, or null where none came in time. */
  async claim(
    executor: Executor,
    waitMs: number,
    leaseMs: number,
    signal?: AbortSignal,
  ): Promise<Reply<ClaimAnswer | null>> {
    const deadline = Date.now() + waitMs;
    const earlier = { ...executor, queues: previousQueueLocations(executor.queues) };
    let bell: WakeSignal | null = null;
    try {
      for (;;) {
        if (signal?.aborted === true) return NOTHING;
        let claimed = await this.#claimNext(executor, leaseMs);
        // Asked once, because nothing new comes there.
        if (claimed.ok && claimed.value === null && bell === null) {
          claimed = await this.#claimNext(earlier, leaseMs);
        }
        if (!claimed.ok || claimed.value !== null) return claimed;
        const left = deadline - Date.now();
        if (left <= 0) return NOTHING;
        // Listens first and asks again then, so that no offer falls between.
        if (bell === null) {
          const sockets: WebSocket[] = [];
          for (const queue of executor.queues) {
            const socket = await this.calls.objects.listenForOffers(queue);
            if (!socket.ok) return socket;
            sockets.push(socket.value);
          }
          bell = new WakeSignal(...sockets);
        } else await bell.wait(left);
      }
    } finally {
      bell?.close();
    }
  }

  /** Each queue may be the first, so that none stands before the others for ever. */
  async #claimNext({ name, queues }: Executor, leaseMs: number) {
    const first = queues.length === 1 ? 0 : Math.floor(Math.random() * queues.length);
    for (const queue of [...queues.slice(first), ...queues.slice(0, first)]) {
      const claimed = await this.#claimFrom(queue, name, leaseMs);
      if (!claimed.ok || claimed.value !== null) return claimed;
    }
    return NOTHING;
  }

  async #claimFrom(place: QueueLocation, agent: string, leaseMs: number) {
    const { objects } = this.calls;
    for (;;) {
      const taken = await objects.queue(place, (queue) => queue.take(place.queue));
      if (!taken.ok || taken.value === null) return taken.ok ? NOTHING : taken;
      const { objectIdHex, number } = taken.value;
      const objectId = objects.sessionAt(objectIdHex);
      if (objectId === null) throw new Error("a queue holds an id that is not of this server");
      const secret = generateSecret();
      const asked = { number, agent, token: hashSecret(secret), leaseMs };
      const claimed = await objects.write(objectId, {
        kind: "claimJob",
        ...withTrace(asked, this.caller.telemetry),
      });
      // The offer stays, and is shown again soon.
      if (!claimed.ok) return claimed;
      // Claimed or not, it is no longer to be had. An offer that stays costs a question.
      await objects.queue(place, (queue) => queue.settle(place.queue, taken.value!));
      if (claimed.value === null) continue;
      const { job, input, epoch } = claimed.value;
      const parts = { objectIdHex, participant: number, issuedSeq: epoch, secret };
      const jobToken = formatToken(parts, JOB_TOKEN_PREFIX);
      return ok({ job, input, jobToken, leaseMs });
    }
  }

  async readJobCredential(authorization: string | null): Promise<Result<UnverifiedJobCredential>> {
    const bearer = bearerIn(authorization);
    if (bearer === null) return refuse({ code: "credential_missing" });
    const parts = parseToken(bearer, JOB_TOKEN_PREFIX);
    const what = parts?.objectIdHex ?? MALFORMED;
    const barred = this.calls.rateLimiter.blockProblem("wrongToken", what);
    if (barred !== null) return refuse(barred);
    const objectId = parts === null ? null : this.calls.objects.sessionAt(what);
    if (parts === null || objectId === null) {
      return refuse(await this.calls.rateLimiter.countInvalid(what, TOKEN_INVALID));
    }
    const { participant: number, issuedSeq: epoch, secret } = parts;
    const { telemetry } = this.caller;
    if (telemetry !== null) telemetry.sessionId = sessionIdFromHex(parts.objectIdHex);
    return ok({ objectId, hashed: { number, epoch, hash: hashSecret(secret) } });
  }

  /** What was said, or what is wrong with it: then whether the token counts is told first. */
  async report(
    { objectId, hashed }: UnverifiedJobCredential,
    said: Result<JobReport>,
    idempotencyKey: string | null,
  ): Promise<Reply<ReportOutcome>> {
    const report = said.ok ? said.value : null;
    const batch =
      idempotencyKey === null ? null : hashRequest("job-report", report, null, idempotencyKey);
    const asked = {
      credential: hashed,
      report,
      batch,
      ...(said.ok ? {} : { problem: said.error }),
    };
    const command = { kind: "reportJob", ...withTrace(asked, this.caller.telemetry) } as const;
    const reply = await this.calls.objects.write(objectId, command);
    return countIfInvalid(this.calls.rateLimiter, objectId.toString(), reply);
  }
}

const NOTHING = { ok: true, value: null } as const;

/** 0 for what is no job of this session: none has that number. */
function numberIn({ objectIdHex }: UnverifiedCredential, jobId: string): number {
  const parts = parseJobId(jobId);
  return parts?.objectIdHex === objectIdHex ? parts.number : 0;
}

const sha256Hex = async (text: string): Promise<string> =>
  bytesToHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
