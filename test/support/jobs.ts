/** Jobs and their executors over HTTP, for black-box tests. */
import type { Answer, CreatedSession, CallOptions, Client } from "./client";

export interface SubmittedJob {
  readonly session: CreatedSession;
  readonly jobId: string;
}

export interface Claim {
  readonly jobToken: string;
  readonly job: { readonly id: string; readonly status: string; readonly attempts: number };
  readonly input: unknown;
  readonly leaseMs: number;
}

/** A separate agent name for each test, because the tests of a file share the queues. */
export const agentName = (): string => `agent-${crypto.randomUUID()}`;

export class Jobs {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async submit(session: CreatedSession, body: object, options: CallOptions = {}): Promise<Answer> {
    const call = { token: session.token, body, ...options };
    return this.#client.on(session, "POST", "/jobs", call);
  }

  async submitInNewSession(agent: string, body: object = {}): Promise<SubmittedJob> {
    const session = await this.#client.create();
    const answer = await this.submit(session, { agent, ...body });
    if (answer.status !== 201) throw new Error(`submit answered ${answer.text}`);
    return { session, jobId: answer.body.job.id };
  }

  async get({ session, jobId }: SubmittedJob): Promise<Answer["body"]> {
    const answer = await this.#client.on(session, "GET", `/jobs/${jobId}`, {
      token: session.token,
    });
    return answer.body;
  }

  cancel({ session, jobId }: SubmittedJob, token = session.token): Promise<Answer> {
    return this.#client.on(session, "POST", `/jobs/${jobId}/cancel`, { token });
  }

  claim(agent: string, body: object = {}, options: CallOptions = {}): Promise<Answer> {
    return this.#client.call("POST", `/agents/${agent}/claim`, { body, ...options });
  }

  async claimOrThrow(agent: string, body: object = {}): Promise<Claim> {
    const answer = await this.claim(agent, body);
    if (answer.status !== 200) throw new Error(`claim answered ${answer.status} ${answer.text}`);
    return answer.body as Claim;
  }

  report(
    claim: Pick<Claim, "jobToken">,
    what: "events" | "heartbeat" | "result" | "error",
    body: object = {},
    options: CallOptions = {},
  ): Promise<Answer> {
    const call = { token: claim.jobToken, body, ...options };
    return this.#client.call("POST", `/jobs/${what}`, call);
  }

  async log(
    { session }: Pick<SubmittedJob, "session">,
    type = "job.*",
  ): Promise<Answer["body"]["events"]> {
    const answer = await this.#client.on(
      session,
      "GET",
      `/events?after=0&limit=1000&type=${type}`,
      {
        token: session.token,
      },
    );
    return answer.body.events;
  }
}
