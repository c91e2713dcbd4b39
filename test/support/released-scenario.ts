/**
 * Creates sessions in every state, with everything that a session can contain, over HTTP. It was used
 * once to create the released data, so its requests must never change.
 */
import type { Answer, Client } from "./client.ts";

export interface ScenarioSession {
  readonly label: string;
  readonly id: string;
  /** The newest token of each participant, by number. */
  readonly tokens: Readonly<Record<number, string>>;
  /** The token that the creator's last write spent, if that write carried a key. */
  readonly spent?: string;
  readonly code?: string;
}

/** The paths read from every session. */
export const READ_PATHS = [
  "",
  "/events?after=0&limit=1000",
  "/events?after=30&limit=1000",
  "/audit?limit=1000",
  "/handoffs",
  "/checkpoints",
  "/jobs",
  "/lineage",
] as const;

/** The last write of the session `in_progress`. Repeating it replays the original answer. */
export const REPEATED = {
  key: "the key of a repeated write".replaceAll(" ", "-"),
  body: { fields: { city: "Lisbon", note: "it's “quoted”\nand in two lines 🎈" } },
} as const;

/** Valid for long, so that later tests can open it. */
const LINK = { to: "human", scopes: ["fill"], ttlMs: 100 * 365 * 24 * 3_600_000 };

const SCHEMA = {
  type: "object",
  properties: {
    city: { type: "string", title: "City" },
    count: { type: "integer", minimum: 0 },
    scan: { type: "object", format: "file" },
  },
  required: ["city"],
};

class ScenarioAgent {
  readonly label: string;
  readonly id: string;
  readonly tokens: Record<number, string> = {};
  spent?: string;
  code?: string;
  readonly #client: Client;

  constructor(client: Client, label: string, id: string, token: string) {
    this.#client = client;
    this.label = label;
    this.id = id;
    this.tokens[1] = token;
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    { as = 1, key, headers }: { as?: number; key?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const token = this.tokens[as] ?? "";
    const answer = await this.#client.on(this, method, path, {
      token,
      ...(body === undefined ? {} : { body }),
      ...(key === undefined ? {} : { key }),
      ...(headers === undefined ? {} : { headers }),
    });
    if (answer.status >= 300) throw new Error(`${this.label}: ${method} ${path}: ${answer.text}`);
    if (answer.body?.resumeToken !== undefined) {
      this.tokens[as] = answer.body.resumeToken;
      if (key !== undefined && as === 1) this.spent = token;
    }
    return answer;
  }

  async handOff(scopes: readonly string[]): Promise<number> {
    const { body } = await this.call("POST", "/handoffs", { to: "agent", scopes, note: "Yours" });
    const number = Number(String(body.handoff.id).slice("hnd_".length));
    this.tokens[number] = body.participantToken;
    return number;
  }
}

export async function runReleasedScenario(client: Client): Promise<readonly ScenarioSession[]> {
  const all: ScenarioAgent[] = [];
  const create = async (label: string, body: object = {}, key?: string): Promise<ScenarioAgent> => {
    const input = { title: `Released: ${label}`, actor: { id: "maker", name: "Maker" }, ...body };
    const { id, token } = await client.create(input, key === undefined ? {} : { key });
    const agent = new ScenarioAgent(client, label, id, token);
    all.push(agent);
    return agent;
  };
  const reviewed = { schema: SCHEMA, review: { required: true, approvals: 1 } };
  const inReview = async (label: string): Promise<ScenarioAgent> => {
    const agent = await create(label, reviewed);
    await agent.call("PATCH", "", { fields: { city: "Porto" }, confidence: 0.5 });
    await agent.call("POST", "/submit", {});
    await agent.handOff(["review"]);
    return agent;
  };

  await create("draft", { policy: { maxAttempts: 3, keepCheckpoints: 4 } });

  const full = await create("in_progress", {
    schema: SCHEMA,
    nextStep: { description: "Go on", stepsCompleted: [1, 2], body: "# Next" },
  });
  await full.handOff(["fill", "handoff"]);
  const viewer = await full.handOff(["view"]);
  await full.call("DELETE", `/handoffs/hnd_${viewer}`);
  delete full.tokens[viewer];
  const { body: linked } = await full.call("POST", "/handoffs", LINK);
  full.code = linked.handoff.code;
  const events = Array.from({ length: 20 }, (_, n) => ({ type: "agent.step", payload: { n } }));
  await full.call("POST", "/events", { events }, { key: "an-append-with-a-key" });
  await full.call("POST", "/checkpoints", { name: "one", pinned: true });
  await full.call("PATCH", "", { fields: { city: "Faro", count: 3 }, title: "Renamed" });
  await full.call("POST", "/checkpoints", { name: "two" });
  await full.call("POST", "/trim", { checkpoint: "chk_1" });
  await full.call("POST", "/stops", { reason: "completed", attempt: 1 });
  await full.call("POST", "/fork", { reason: "try another way" });
  for (const ended of ["result", "error", null]) {
    const agent = `released-${ended}`;
    await full.call("POST", "/jobs", { agent, input: { ask: ended } }, { key: `job-${ended}` });
    if (ended === null) continue;
    const claimed = await client.call("POST", `/agents/${agent}/claim`, { body: {} });
    const token = claimed.body.jobToken as string;
    const report = { events: [{ kind: "log", body: { line: "working" } }] };
    await client.call("POST", "/jobs/events", { token, body: report });
    const end = ended === "result" ? { result: { ok: true } } : { code: "failed", message: "no" };
    await client.call("POST", `/jobs/${ended}`, { token, body: end });
  }
  await full.call("POST", "/pause", { reason: "lunch" });
  await full.call("POST", "/resume", { lastEventSeq: 30 });
  await full.call("PATCH", "", REPEATED.body, { key: REPEATED.key });

  const awaiting = await create("awaiting_input", { schema: SCHEMA });
  await awaiting.call("POST", "/request-input", { note: "Which city?", fields: ["city"] });

  const upload = await create("awaiting_upload", { schema: SCHEMA });
  const file = { field: "scan", name: "scan.txt", type: "text/plain", size: 5 };
  await upload.call("POST", "/uploads", file);
  const plain = { headers: { "Content-Type": file.type } };
  await upload.call("PUT", "/uploads/upl_1", "hello", plain);
  await upload.call("POST", "/uploads/upl_1/confirm", {});
  await upload.call("POST", "/uploads", { ...file, name: "second.txt" });

  const submitted = await create("submitted");
  await submitted.call("POST", "/submit", {});
  await inReview("needs_review");
  const approved = await inReview("approved");
  await approved.call("POST", "/approve", { comment: "Good" }, { as: 2 });
  const finalized = await create("finalized");
  await finalized.call("POST", "/submit", {});
  await finalized.call("POST", "/finalize", { reason: "Done" });
  const rejected = await inReview("rejected");
  await rejected.call("POST", "/reject", { reason: "No" }, { as: 2 });
  const cancelled = await create("cancelled");
  await cancelled.call("POST", "/cancel", { reason: "Enough" });
  await create("expired", { ttlMs: 1_000 });
  const named = await create("gone", {}, crypto.randomUUID() + crypto.randomUUID());
  await named.call("DELETE", "");
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  return all;
}
