/**
 * One session that gets malformed requests, one at a time, with everything that a session can have: participants,
 * a link, a file, a job, a checkpoint. It knows what the session looked like, so that a refused request that
 * changed it is found.
 */
import { randomKey, type Answer, type Client, type Send } from "../../client.ts";
import { Person } from "../../person.ts";
import { objectOfToken, tokenParts } from "../network/wire.ts";

const SCHEMA = {
  type: "object",
  properties: { a: { type: "string", pattern: "^[a-z]*$" }, n: { type: "integer" }, f: {} },
};

const OPEN = new Set(["draft", "in_progress", "awaiting_input", "awaiting_upload"]);

export interface TargetSession {
  readonly id: string;
  readonly credentials: { owner: string; guest: string };
  readonly spent: string;
  readonly code: string;
  /** Of a person who has opened the link. */
  readonly cookie: string;
  readonly jobToken: string;
  /** Ids of things in the session, by the names of path parameters. */
  readonly ids: Readonly<Record<string, string>>;
}

export class ComparedSession {
  readonly target: TargetSession;
  readonly #client: Client;
  #seen: string | null = null;
  #head = 0;
  #expiresAt = 0;

  private constructor(client: Client, target: TargetSession) {
    this.#client = client;
    this.target = target;
  }

  static async create(client: Client, send: Send, url: string): Promise<ComparedSession> {
    const created = await client.create(
      { schema: SCHEMA, fields: { a: "a" } },
      { key: randomKey() },
    );
    let owner = created.token;
    const act = async (path: string, body: unknown): Promise<Answer> => {
      const options = { token: owner, body, key: randomKey() };
      const answer = await client.on(created, "POST", path, options);
      if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}`);
      owner = answer.body.resumeToken ?? owner;
      return answer;
    };
    const agent = `agent-${created.id.slice(-12).toLowerCase().replaceAll("_", "-")}x`;
    const job = await act("/jobs", { agent, input: {} });
    const claim = await client.call("POST", `/agents/${agent}/claim`, {
      body: { waitMs: 1_000, leaseMs: 600_000 },
    });
    const guest = await act("/handoffs", { to: "agent", scopes: ["fill"] });
    const link = await act("/handoffs", { to: "human", scopes: ["fill"] });
    const checkpoint = await act("/checkpoints", { name: "first" });
    const upload = await act("/uploads", { name: "a.txt", type: "text/plain", size: 3 });
    const person = new Person(send, url);
    const opened = await person.open(link.body.handoff.code);
    if (opened.status !== 200) throw new Error(`the link answered ${opened.status}`);
    return new ComparedSession(client, {
      id: created.id,
      credentials: { owner, guest: guest.body.participantToken },
      spent: created.token,
      code: link.body.handoff.code.replaceAll("-", ""),
      cookie: [...person.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      jobToken: claim.body?.jobToken ?? "",
      ids: {
        handoffId: guest.body.handoff.id,
        checkpointId: checkpoint.body.checkpoint.id,
        uploadId: upload.body.upload.id,
        jobId: job.body.job?.id ?? "",
        name: agent,
      },
    });
  }

  /** Remembers what the session looks like now; false if it can no longer be read. */
  async remember(): Promise<boolean> {
    const read = await this.#read();
    const isShown = read.status === 200;
    this.#seen = isShown ? withoutPresence(read) : null;
    this.#head = isShown ? read.body.session.head : 0;
    this.#expiresAt = isShown ? Date.parse(read.body.session.expiresAt) : 0;
    return isShown;
  }

  /** How the session differs from what it was, or null. */
  async difference(): Promise<string | null> {
    const read = await this.#read();
    // An accepted request had left it little time.
    if (read.body?.code === "expired" && Date.now() >= this.#expiresAt) return null;
    if (read.status !== 200) return `it answers ${read.status}: ${read.text.slice(0, 300)}`;
    if (withoutPresence(read) === this.#seen) return null;
    // What becomes due by itself is the server's own work.
    const log = await this.#client.on(this.target, "GET", `/events?after=${this.#head}`, {
      token: this.target.credentials.owner,
    });
    const events = (log.body?.events ?? []) as { type: string; actor: { kind: string } }[];
    const isDue = events.length > 0 && events.every(({ actor }) => actor.kind === "system");
    await this.remember();
    return isDue ? null : `it has new events: ${events.map(({ type }) => type).join(", ")}`;
  }

  /** A valid write must be accepted: no refused request has spent the token. */
  async write(): Promise<{ readonly isOver: boolean; readonly refusal: string | null }> {
    const { body } = await this.#read();
    if (!OPEN.has(body?.session?.state)) return { isOver: true, refusal: null };
    const answer = await this.#client.on(this.target, "PATCH", "", {
      token: this.target.credentials.owner,
      ifMatch: body.session.version,
      key: randomKey(),
      body: { fields: { n: body.session.head } },
    });
    if (answer.status !== 200) {
      return { isOver: true, refusal: `answered ${answer.status} ${answer.body?.code}` };
    }
    this.target.credentials.owner = answer.body.resumeToken;
    return { isOver: !(await this.remember()), refusal: null };
  }

  /** Takes the next token of a participant, if this is one: reads give back the token they came with. */
  learn(by: "owner" | "guest", token: string | undefined): void {
    const { credentials } = this.target;
    if (token !== undefined && isNextOf(token, credentials[by])) credentials[by] = token;
  }

  #read(): Promise<Answer> {
    return this.#client.on(this.target, "GET", "", { token: this.target.credentials.owner });
  }
}

const withoutPresence = ({ text }: Answer): string =>
  text.replaceAll('"connected":true', '"connected":false');

function isNextOf(token: string, before: string): boolean {
  if (token.length !== before.length || objectOfToken(token) !== objectOfToken(before))
    return false;
  const [next, last] = [tokenParts(token), tokenParts(before)];
  return next.participant === last.participant && next.seq > last.seq;
}
