/**
 * The use cases of jobs that every face shares: for those who take part in a session, and for the
 * executors, who hold an agent's key and then a job token. Secrets are drawn and hashed here.
 */
import { agentsOf, findAgent, type AgentEntry } from "../domain/agents";
import { bytesToHex } from "../domain/base64url";
import type { Failure } from "../domain/failure";
import { sessionIdFromHex } from "../domain/ids";
import { parseJobId, type JobView } from "../domain/job";
import type { JobSubmission, Report } from "../domain/job-rules";
import type { Json } from "../domain/json";
import { LIMITS } from "../domain/limits";
import { ok, refuse, type Result } from "../domain/result";
import type { Env } from "../env";
import type { QueuePort } from "../object/agent-queue";
import type {
  JobContent,
  JobCredential,
  JobList,
  JobPort,
  ListJobsRequest,
  Reported,
  ShownJob,
  Submitted,
} from "../object/job-messages";
import type { Reply } from "../object/messages";
import type { GatewayReply } from "./gateway";
import { formatJobToken, parseJobToken } from "./job-token";
import type { Call } from "./call";
import { callObject } from "./platform-call";
import type { Caller } from "./caller";
import { counted, Guard } from "./guard";
import { authenticId, inTrace, MALFORMED, type Presented } from "./presented";
import { drawSecret, hashAppendKey, hashRequest, hashSecret } from "./secrets";
import type { RawToken } from "./token";

interface ClaimAnswer {
  readonly job: JobView;
  readonly input: Json;
  readonly jobToken: RawToken;
  readonly leaseMs: number;
}

/** A job token, taken apart; proves nothing about its secret yet. */
export interface PresentedJob {
  readonly objectId: DurableObjectId;
  readonly credential: JobCredential;
}

const TOKEN_INVALID: Failure = { code: "token_invalid" };
const BEARER = /^Bearer +(\S+) *$/i;

const bearerIn = (authorization: string | null): string | null =>
  authorization === null ? null : (BEARER.exec(authorization)?.[1] ?? null);

export class JobGateway {
  readonly #guard: Guard;
  readonly #sessions: Env["SESSION"];
  readonly #queues: Env["AGENT_QUEUE"];
  readonly agents: readonly AgentEntry[];
  readonly #request: Call | null;

  constructor(env: Env, caller: Caller) {
    this.#request = caller.call;
    this.#guard = new Guard(env, caller);
    this.#sessions = env.SESSION;
    this.#queues = env.AGENT_QUEUE;
    this.agents = agentsOf(env.AGENTS);
  }

  async submit(
    presented: Presented,
    submission: JobSubmission,
    idempotencyKey: string | null,
  ): Promise<GatewayReply<Submitted>> {
    // The same job may be asked for again under another trace.
    const { traceId: _, ...identity } = submission;
    const key =
      idempotencyKey === null
        ? null
        : {
            hash: hashAppendKey(idempotencyKey),
            request: hashRequest("job", identity, null, idempotencyKey),
          };
    const { credential } = presented;
    // Whoever executes it goes on in the trace of the one who asked for it.
    const traceId = submission.traceId ?? this.#request?.trace?.traceId;
    return this.#ask(presented, key !== null, (object) =>
      object.submitJob({ credential, submission: { ...submission, traceId }, key }),
    );
  }

  list(
    presented: Presented,
    query: Omit<ListJobsRequest, "credential">,
  ): Promise<GatewayReply<JobList>> {
    const { credential } = presented;
    return this.#ask(presented, true, (object) => object.listJobs({ credential, ...query }));
  }

  async get(presented: Presented, jobId: string): Promise<GatewayReply<JobContent>> {
    const number = numberIn(presented, jobId);
    return this.#ask(presented, true, (object) => object.getJob(presented.credential, number));
  }

  async cancel(
    presented: Presented,
    jobId: string,
    reason: string | undefined,
  ): Promise<GatewayReply<ShownJob>> {
    const { credential } = presented;
    const number = numberIn(presented, jobId);
    return this.#ask(presented, true, (object) => object.cancelJob({ credential, number, reason }));
  }

  close(presented: Presented, reason: string | undefined): Promise<GatewayReply<number>> {
    return this.#ask(presented, true, (object) => object.closeJobs(presented.credential, reason));
  }

  /** May who presents this take the agent's jobs? A name that is not listed reaches no queue. */
  async admitExecutor(name: string, authorization: string | null): Promise<Failure | null> {
    const agent = findAgent(this.agents, name);
    if (agent === null) return { code: "not_found", what: "agent" };
    if (agent.keyHash === undefined) return null;
    const what = `agent ${name}`;
    const barred = this.#guard.barred("wrongToken", what);
    if (barred !== null) return barred;
    const key = bearerIn(authorization);
    if (key === null) return { code: "credential_missing" };
    if ((await sha256Hex(key)) === agent.keyHash.toLowerCase()) return null;
    return this.#guard.wrong(what, TOKEN_INVALID);
  }

  /** The agent's next job, or null where none came in time. */
  async claim(
    name: string,
    waitMs: number,
    leaseMs: number,
    signal?: AbortSignal,
  ): Promise<ClaimAnswer | null> {
    const queue = this.#queues.get(this.#queues.idFromName(name)) as unknown as QueuePort & Fetcher;
    const deadline = Date.now() + waitMs;
    let bell: Bell | null = null;
    try {
      for (;;) {
        if (signal?.aborted === true) return null;
        const claimed = await this.#claimNext(queue, name, leaseMs);
        if (claimed !== null) return claimed;
        const left = deadline - Date.now();
        if (left <= 0) return null;
        // Listens first and asks again then, so that no offer falls between.
        if (bell === null) bell = await Bell.hang(queue);
        else await bell.rung(left);
      }
    } finally {
      bell?.close();
    }
  }

  async #claimNext(queue: QueuePort, agent: string, leaseMs: number): Promise<ClaimAnswer | null> {
    for (;;) {
      const offer = await queue.take();
      if (offer === null) return null;
      const { objectIdHex, number } = offer;
      const secret = drawSecret();
      const token = hashSecret(secret);
      const object = this.#object(this.#sessions.idFromString(objectIdHex));
      const claimed = await object.claimJob(
        inTrace({ number, agent, token, leaseMs }, this.#request),
      );
      await queue.settle(offer.id);
      if (claimed === null) continue;
      const { job, input, epoch } = claimed;
      const jobToken = formatJobToken({ objectIdHex, number, epoch, secret });
      return { job, input, jobToken, leaseMs };
    }
  }

  async presentJob(authorization: string | null): Promise<Result<PresentedJob, Failure>> {
    const bearer = bearerIn(authorization);
    if (bearer === null) return refuse({ code: "credential_missing" });
    const parts = parseJobToken(bearer);
    const what = parts?.objectIdHex ?? MALFORMED;
    const barred = this.#guard.barred("wrongToken", what);
    if (barred !== null) return refuse(barred);
    const objectId = parts === null ? null : authenticId(this.#sessions, what);
    if (parts === null || objectId === null) {
      return refuse(await this.#guard.wrong(what, TOKEN_INVALID));
    }
    const { participant: number, issuedSeq: epoch, secret } = parts;
    if (this.#request !== null) this.#request.sessionId = sessionIdFromHex(parts.objectIdHex);
    return ok({ objectId, credential: { number, epoch, hash: hashSecret(secret) } });
  }

  /** Only whether the token counts, where what came with it does not. */
  async check({ objectId, credential }: PresentedJob): Promise<Reply<null>> {
    const reply = await callObject(
      () => this.#object(objectId),
      true,
      (object) => object.checkJobToken(credential),
      this.#request,
    );
    return counted(this.#guard, objectId.toString(), reply);
  }

  async report(
    { objectId, credential }: PresentedJob,
    report: Report,
    idempotencyKey: string | null,
  ): Promise<Reply<Reported>> {
    const batch =
      idempotencyKey === null ? null : hashRequest("job-report", report, null, idempotencyKey);
    const reply = await callObject(
      () => this.#object(objectId),
      batch !== null || report.what !== "events",
      (object) => object.reportJob(inTrace({ credential, report, batch }, this.#request)),
      this.#request,
    );
    return counted(this.#guard, objectId.toString(), reply);
  }

  #object(id: DurableObjectId): JobPort {
    return this.#sessions.get(id) as unknown as JobPort;
  }

  async #ask<T>(
    { objectId, objectIdHex, sessionId }: Presented,
    isRepeatable: boolean,
    call: (object: JobPort) => Promise<Reply<T>>,
  ): Promise<GatewayReply<T>> {
    const reply = await callObject(() => this.#object(objectId), isRepeatable, call, this.#request);
    if (reply.ok) return reply;
    if (reply.failure.code !== "token_invalid") return { ...reply, sessionId };
    return counted(this.#guard, objectIdHex, reply);
  }
}

/** 0 for what is no job of this session: none has that number. */
function numberIn({ objectIdHex }: Presented, jobId: string): number {
  const parts = parseJobId(jobId);
  return parts?.objectIdHex === objectIdHex ? parts.number : 0;
}

const sha256Hex = async (text: string): Promise<string> =>
  bytesToHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));

/** Waits for a queue's word over a socket that costs nothing while nothing is said. */
class Bell {
  readonly #socket: WebSocket;
  #hasRung = false;
  #wake: () => void = () => {};

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", () => this.#ring());
    socket.addEventListener("close", () => this.#ring());
    socket.addEventListener("error", () => this.#ring());
  }

  static async hang(queue: Fetcher): Promise<Bell> {
    const headers = { Upgrade: "websocket" };
    const { webSocket } = await queue.fetch("http://queue/wait", { headers });
    if (webSocket === null) throw new Error("the queue did not open a socket");
    webSocket.accept();
    return new Bell(webSocket);
  }

  async rung(timeoutMs: number): Promise<void> {
    if (!this.#hasRung) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((settle) => {
        this.#wake = settle;
        timer = setTimeout(settle, Math.min(timeoutMs, LIMITS.waitMs));
      });
      clearTimeout(timer);
    }
    this.#hasRung = false;
  }

  close(): void {
    this.#socket.close(1000);
  }

  #ring(): void {
    this.#hasRung = true;
    this.#wake();
  }
}
