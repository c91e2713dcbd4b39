/**
 * One session that is fuzzed, by one request at a time, with all that hangs on it: participants, a
 * link, a file, a job, a checkpoint. Knows what the session looked like, so that a refused request
 * that changed it is found out.
 */
import type { Answer, Client } from "../client.ts";
import { Person } from "../person.ts";

export interface Credentials {
  owner: string;
  guest: string;
}

const SCHEMA = {
  type: "object",
  properties: { a: { type: "string", pattern: "^[a-z]*$" }, n: { type: "integer" }, f: {} },
};

const OPEN = new Set(["draft", "in_progress", "awaiting_input", "awaiting_upload"]);

export class Lane {
  readonly id: string;
  readonly credentials: Credentials;
  readonly spent: string;
  readonly code: string;
  /** Of a person who has opened the link. */
  readonly cookie: string;
  readonly jobToken: string;
  /** Ids of things in the session, by what stands for them in a path. */
  readonly ids: Readonly<Record<string, string>>;
  readonly #client: Client;
  #looks: string | null = null;
  #head = 0;
  #expiresAt = 0;

  private constructor(client: Client, facts: Omit<Lane, "look" | "changed" | "proveAlive">) {
    this.#client = client;
    this.id = facts.id;
    this.credentials = facts.credentials;
    this.spent = facts.spent;
    this.code = facts.code;
    this.cookie = facts.cookie;
    this.jobToken = facts.jobToken;
    this.ids = facts.ids;
  }

  static async begin(client: Client, url: string): Promise<Lane> {
    const session = await client.create({ schema: SCHEMA, fields: { a: "a" } });
    let owner = session.token;
    const act = async (method: string, path: string, body: unknown): Promise<Answer> => {
      const answer = await client.on(session, method, path, { token: owner, body });
      if (answer.status >= 300)
        throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
      owner = answer.body.resumeToken ?? owner;
      return answer;
    };
    const agent = `fuzz-${session.id.slice(-12).toLowerCase().replaceAll("_", "-")}x`;
    const job = await act("POST", "/jobs", { agent, input: {} });
    const claim = await client.call("POST", `/agents/${agent}/claim`, {
      body: { waitMs: 1_000, leaseMs: 600_000 },
    });
    const guest = await act("POST", "/handoffs", { to: "agent", scopes: ["fill"] });
    const link = await act("POST", "/handoffs", { to: "human", scopes: ["fill"] });
    const checkpoint = await act("POST", "/checkpoints", { name: "first" });
    const upload = await act("POST", "/uploads", { name: "a.txt", type: "text/plain", size: 3 });
    const person = new Person(fetch, url);
    const seen = await person.open(link.body.handoff.code);
    if (seen.status !== 200) throw new Error(`the link answered ${seen.status}`);
    return new Lane(client, {
      id: session.id,
      credentials: { owner, guest: guest.body.participantToken },
      spent: session.token,
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

  /** Remembers what the session looks like now; false when it can no longer be read. */
  async look(): Promise<boolean> {
    const read = await this.#read();
    this.#looks = read.status === 200 ? looksOf(read) : null;
    this.#head = read.status === 200 ? read.body.session.head : 0;
    this.#expiresAt = read.status === 200 ? Date.parse(read.body.session.expiresAt) : 0;
    return this.#looks !== null;
  }

  /** In words how the session differs from what it was, or null. */
  async changed(): Promise<string | null> {
    const read = await this.#read();
    // Time did it, to a session that an accepted request had given little of it.
    if (read.body?.code === "expired" && Date.now() >= this.#expiresAt) return null;
    if (read.status !== 200) return `it answers ${read.status}: ${read.text.slice(0, 300)}`;
    if (looksOf(read) === this.#looks) return null;
    // What comes due by itself is the server's own doing.
    const log = await this.#client.on(this, "GET", `/events?after=${this.#head}`, {
      token: this.credentials.owner,
    });
    const events = (log.body?.events ?? []) as { type: string; actor: { kind: string } }[];
    const isDue = events.length > 0 && events.every(({ actor }) => actor.kind === "system");
    await this.look();
    return isDue ? null : `it has new events: ${events.map(({ type }) => type).join(", ")}`;
  }

  /** A write that is right must still be accepted: no refused one has spent the token. */
  async proveAlive(): Promise<"alive" | "ended" | string> {
    const { body } = await this.#read();
    if (!OPEN.has(body?.session?.state)) return "ended";
    const answer = await this.#client.on(this, "PATCH", "", {
      token: this.credentials.owner,
      ifMatch: body.session.version,
      body: { fields: { n: body.session.head } },
    });
    if (answer.status !== 200)
      return `a right write answered ${answer.status} ${answer.body?.code}`;
    this.credentials.owner = answer.body.resumeToken;
    return (await this.look()) ? "alive" : "ended";
  }

  #read(): Promise<Answer> {
    return this.#client.on(this, "GET", "", { token: this.credentials.owner });
  }
}

const looksOf = ({ text }: Answer): string =>
  text.replaceAll('"connected":true', '"connected":false');

/**
 * Is the one token a later one of the other's line? A token begins with its object and its participant
 * (36 bytes), and the number of the commit that issued it (6). Reads give back the token they came with.
 */
export function isNextOf(token: string, before: string): boolean {
  const [next, last] = [token, before].map((text) => Buffer.from(text.slice(5), "base64url"));
  if (next === undefined || last === undefined || next.length < 42 || last.length < 42)
    return false;
  return (
    next.subarray(0, 36).equals(last.subarray(0, 36)) &&
    next.readUIntBE(36, 6) > last.readUIntBE(36, 6)
  );
}
