/**
 * The use cases of jobs that all faces share: for participants of a session, and for executors, who hold
 * an agent's key and then a job token. Secrets are generated and hashed here.
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

/** A parsed job token whose secret is not verified yet. */
export interface UnverifiedJobCredential {
  readonly objectId: DurableObjectId;
  readonly hashed: JobCredential;
}

/** An executor that may claim the jobs of an agent, from these queues. */
export interface Executor {
  readonly name: string;
  readonly queues: readonly QueueLocation[];
}

const TOKEN_INVALID: Failure = { code: "token_invalid" };
const NO_AGENT: Failure = { code: "not_found", what: "agent" };
/** The entries that a name refers to: for sessions without owner, and for each owner with such an agent. */
function entriesOf(agents: readonly AgentEntry[], name: string): readonly AgentEntry[] {
  const owners = new Set(agents.map(({ owner }) => owner ?? null));
  const found = [...owners].map((owner) => findAgent(agents, name, owner));
  return [...new Set(found)].filter((entry) => entry !== null);
}

export class JobGateway extends UseCases {
  /** Or the failure if the setting is invalid. */
  readonly agents = agentsFromSetting(this.env.AGENTS);

  submit(
    credential: UnverifiedCredential,
    submission: JobSubmission,
    idempotencyKey: string | null,
  ) {
    // The same job may be submitted again under another trace.
    const { traceId: _, ...identity } = submission;
    const key = requestKeyOf("job", identity, null, idempotencyKey);
    // The executor continues the trace of the request that submitted the job.
    const traceId = submission.traceId ?? this.caller.telemetry?.trace?.traceId;
    const request = { submission: { ...submission, traceId }, key };
    return this.calls.write(credential, "submitJob", request);
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
    return this.calls.write(credential, "cancelJobsOnClose", { reason });
  }

  /** The queues that the caller may claim from. A name that is not listed reaches no queue. */
  async admitExecutor(name: string, authorization: string | null): Promise<Result<Executor>> {
    const key = bearerIn(authorization);
    const { ownerKey } = this.caller;
    if (!this.agents.ok) return this.agents;
    const agents = this.agents.value;
    if (ownerKey?.startsWith(KEY_PREFIX)) return this.#admitOwner(agents, name, ownerKey);
    const entries = entriesOf(agents, name);
    if (entries.length === 0) return refuse(NO_AGENT);
    const keyless = entries.find(
      ({ keyHash, owner }) => keyHash === undefined && owner === undefined,
    );
    if (keyless !== undefined) {
      // Any website can reach a server on its visitor's machine: without a key, only programs can claim.
      if (this.caller.isFromOtherOrigin) return refuse({ code: "credential_missing" });
      const localOwner = keylessOwner(this.env);
      const owners = localOwner === null ? [] : [localOwner];
      return ok({ name, queues: queuesForExecutor(keyless, agents, name, owners) });
    }
    const what = `agent ${name}`;
    const blocked = this.calls.rateLimiter.blockProblem("wrongToken", what);
    if (blocked !== null) return refuse(blocked);
    if (key === null) return refuse({ code: "credential_missing" });
    const hash = await sha256Hex(key);
    const entry = entries.find(({ keyHash }) => keyHash?.toLowerCase() === hash);
    if (entry === undefined)
      return refuse(await this.calls.rateLimiter.countInvalid(what, TOKEN_INVALID));
    return ok({ name, queues: queuesForExecutor(entry, agents, name, ownerNames(this.env)) });
  }

  /** By an owner's key: that owner's jobs, whichever agent the name refers to. */
  async #admitOwner(agents: readonly AgentEntry[], name: string, key: string) {
    const holder = await admitKey(this.caller, key, this.calls.rateLimiter, "open");
    if (!holder.ok) return holder;
    const { name: owner } = holder.value.owner;
    if (findAgent(agents, name, owner) === null) return refuse(NO_AGENT);
    return ok({ name, queues: [locateQueue(agents, owner, name)] });
  }

  /** The executor's next job, or null if none came in time. */
  async claim(
    executor: Executor,
    waitMs: number,
    leaseMs: number,
    signal?: AbortSignal,
  ): Promise<Reply<ClaimAnswer | null>> {
    const deadline = Date.now() + waitMs;
    const previous = { ...executor, queues: previousQueueLocations(executor.queues) };
    let wakeSignal: WakeSignal | null = null;
    try {
      for (;;) {
        if (signal?.aborted === true) return NOTHING;
        let claimed = await this.#claimNext(executor, leaseMs);
        // Read once, because no new offers come there.
        if (claimed.ok && claimed.value === null && wakeSignal === null) {
          claimed = await this.#claimNext(previous, leaseMs);
        }
        if (!claimed.ok || claimed.value !== null) return claimed;
        const left = deadline - Date.now();
        if (left <= 0) return NOTHING;
        // It listens first and then claims again, so that no offer is missed in between.
        if (wakeSignal === null) {
          const sockets: WebSocket[] = [];
          for (const queue of executor.queues) {
            const socket = await this.calls.objects.listenForOffers(queue);
            if (!socket.ok) return socket;
            sockets.push(socket.value);
          }
          wakeSignal = new WakeSignal(...sockets);
        } else await wakeSignal.wait(left);
      }
    } finally {
      wakeSignal?.close();
    }
  }

  /** The first queue is random, so that no queue always comes before the others. */
  async #claimNext({ name, queues }: Executor, leaseMs: number) {
    const first = queues.length === 1 ? 0 : Math.floor(Math.random() * queues.length);
    for (const queue of [...queues.slice(first), ...queues.slice(0, first)]) {
      const claimed = await this.#claimFrom(queue, name, leaseMs);
      if (!claimed.ok || claimed.value !== null) return claimed;
    }
    return NOTHING;
  }

  async #claimFrom(location: QueueLocation, agent: string, leaseMs: number) {
    const { objects } = this.calls;
    for (;;) {
      const offer = await objects.queue(location, (queue) => queue.take(location.queue));
      if (!offer.ok || offer.value === null) return offer.ok ? NOTHING : offer;
      const { objectIdHex, number } = offer.value;
      const objectId = objects.sessionAt(objectIdHex);
      if (objectId === null) throw new Error("a queue holds an id that is not of this server");
      const secret = generateSecret();
      const request = { number, agent, token: hashSecret(secret), leaseMs };
      const claimed = await objects.write(objectId, {
        kind: "claimJob",
        ...withTrace(request, this.caller.telemetry),
      });
      // The offer stays in the queue and is returned again soon.
      if (!claimed.ok) return claimed;
      // Claimed or not, the offer is obsolete. One that stays costs only another call.
      await objects.queue(location, (queue) => queue.settle(location.queue, offer.value!));
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
    const blocked = this.calls.rateLimiter.blockProblem("wrongToken", what);
    if (blocked !== null) return refuse(blocked);
    const objectId = parts === null ? null : this.calls.objects.sessionAt(what);
    if (parts === null || objectId === null) {
      return refuse(await this.calls.rateLimiter.countInvalid(what, TOKEN_INVALID));
    }
    const { participant: number, issuedSeq: epoch, secret } = parts;
    const { telemetry } = this.caller;
    if (telemetry !== null) telemetry.sessionId = sessionIdFromHex(parts.objectIdHex);
    return ok({ objectId, hashed: { number, epoch, hash: hashSecret(secret) } });
  }

  /** A report, or why it is malformed: an invalid token is then reported first. */
  async report(
    { objectId, hashed }: UnverifiedJobCredential,
    parsed: Result<JobReport>,
    idempotencyKey: string | null,
  ): Promise<Reply<ReportOutcome>> {
    const report = parsed.ok ? parsed.value : null;
    const batch =
      idempotencyKey === null ? null : hashRequest("job-report", report, null, idempotencyKey);
    const request = {
      credential: hashed,
      report,
      batch,
      ...(parsed.ok ? {} : { problem: parsed.error }),
    };
    const command = { kind: "reportJob", ...withTrace(request, this.caller.telemetry) } as const;
    const reply = await this.calls.objects.write(objectId, command);
    return countIfInvalid(this.calls.rateLimiter, objectId.toString(), reply);
  }
}

const NOTHING = { ok: true, value: null } as const;

/** 0 if the id is not of this session: no job has that number. */
function numberIn({ objectIdHex }: UnverifiedCredential, jobId: string): number {
  const parts = parseJobId(jobId);
  return parts?.objectIdHex === objectIdHex ? parts.number : 0;
}

const sha256Hex = async (text: string): Promise<string> =>
  bytesToHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
