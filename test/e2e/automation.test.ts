import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestAgent, type LoggedEvent } from "../support/test-agent.ts";
import { startServer, temporaryFolder, type Server } from "../support/server.ts";
import { waitUntilLogged } from "../support/session-file.ts";

const WAIT_MS = 1_500;

const data = temporaryFolder();
let server: Server;
beforeAll(async () => {
  server = await startServer(data.path);
});
afterAll(async () => {
  await server.stop();
  data[Symbol.dispose]();
});

const createAgent = (body: unknown = {}): Promise<TestAgent> =>
  TestAgent.create(server.client, body);

/** Reports a limit without jitter, so that the time is the provider's own. */
async function reportStop(agent: TestAgent, report: object): Promise<number> {
  const reported = { reason: "rate_limit", attempt: 1, ...report };
  const { decision } = (await agent.call("POST", "/stops", reported)).body;
  expect(decision).toMatchObject({ strategy: "same_session", attempt: 2 });
  return Date.parse(decision.resumeAt);
}

/**
 * Stops, and pauses before the resume is due. If the machine was too slow for that, it tries again
 * with a later time.
 */
async function pauseBeforeDue(waitMs = 500): Promise<{ hand: TestAgent; at: number }> {
  const agent = await createAgent();
  const at = await reportStop(agent, { retryAfterMs: waitMs });
  await agent.call("POST", "/pause");
  return Date.now() < at ? { hand: agent, at } : pauseBeforeDue(2 * waitMs);
}

/** Sends no request until the server has logged by itself that the resume is due. */
async function waitUntilDue(agent: TestAgent, folder = data.path): Promise<LoggedEvent> {
  await waitUntilLogged(folder, agent.id, "resume.due");
  const [due, ...more] = await agent.events("&type=resume.due");
  expect(more).toEqual([]);
  if (due === undefined) throw new Error("unreachable: it is in the log");
  return due;
}

async function expectContinued(agent: TestAgent, at: number, folder?: string): Promise<void> {
  const due = await waitUntilDue(agent, folder);
  expect(Date.parse(due.at)).toBeGreaterThanOrEqual(at);
  expect(due.payload).toMatchObject({ attempt: 2, scheduledFor: new Date(at).toISOString() });
  const resumed = await agent.call("POST", "/resume", { lastEventSeq: 0, auto: true });
  expect(resumed.body.session.id).toBe(agent.id);
  const events: LoggedEvent[] = resumed.body.events;
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events.filter(({ type }) => type === "resume.due")).toHaveLength(1);
  await agent.append("agent.continues");
}

describe("a rate limit that ends an agent", () => {
  it("is waited out by the server alone, and the same session continues", async () => {
    const agent = await createAgent({ policy: { jitter: 0 } });
    await agent.append("agent.works");
    const at = await reportStop(agent, { retryAfter: "2" });
    await expectContinued(agent, at);
  });

  it("is waited out across a kill -9 of the runtime", async () => {
    const agent = await createAgent();
    const at = await reportStop(agent, { retryAfterMs: WAIT_MS });
    const before = server.runtimePid();
    const after = await server.killRuntime();
    expect(after).not.toBe(before);
    await expectContinued(agent, at);
  });

  it("is due as soon as a server is back that was down at its time", async () => {
    const other = temporaryFolder();
    const first = await startServer(other.path);
    const created = await TestAgent.create(first.client);
    const at = await reportStop(created, { retryAfterMs: 500 });
    await first.script.kill();
    await sleep(Math.max(0, at - Date.now()));
    const second = await startServer(other.path);
    await expectContinued(new TestAgent(second.client, created), at, other.path);
    await second.stop();
    other[Symbol.dispose]();
  });

  it("is sent to every open stream, once", async () => {
    const agent = await createAgent();
    const handoff = await agent.call("POST", "/handoffs", { to: "agent", scopes: ["view"] });
    const tokens = [agent.token, agent.token, handoff.body.participantToken as string];
    const streams = await Promise.all(tokens.map((token) => openStream(agent.id, token)));
    const at = await reportStop(agent, { retryAfterMs: WAIT_MS });
    await waitUntilDue(agent);
    await agent.append("agent.last");
    for (const stream of streams) {
      const text = await readUntil(stream, "event: agent.last\n");
      expect(text.match(/event: resume\.due\n/g)).toHaveLength(1);
      expect(text).toContain(`"scheduledFor":"${new Date(at).toISOString()}"`);
      stream.destroy();
    }
  });

  it("is not waited out if a pause cancelled it, also across a kill -9", async () => {
    const { hand: agent, at } = await pauseBeforeDue();
    await server.killRuntime();
    // A later resume of another session shows that the time of the first has passed.
    const other = await createAgent({ policy: { jitter: 0 } });
    await reportStop(other, { retryAfterMs: Math.max(1, at - Date.now()) + 500 });
    await waitUntilDue(other);
    expect((await agent.session()).paused).toBe(true);
    expect(await agent.types()).not.toContain("resume.due");
    const refused = await agent.tryCall("POST", "/resume", { auto: true });
    expect([refused.status, refused.body.code]).toEqual([409, "paused"]);
    await agent.call("POST", "/unpause");
    expect((await agent.call("POST", "/resume", { auto: true })).body.outcome).toBe("resumed");
  });
});

describe("a full context", () => {
  it("continues in a child with its parent's lifetime, through a kill -9", async () => {
    const nextStep = { stepsCompleted: [1], description: "second half", body: "so far: half" };
    const parent = await createAgent({ title: "Long work", fields: { done: 1 }, nextStep });
    const stop = await parent.call("POST", "/stops", { reason: "context_exhausted" });
    expect(stop.body.decision.strategy).toBe("new_session");
    const key = crypto.randomUUID();
    const { id, token } = parent;
    const body = { reason: "context_exhausted" };
    const forked = await server.client.on({ id }, "POST", "/fork", { token, key, body });
    expect(forked.body.prompt).toContain("from step 2: second half");
    await server.killRuntime();
    const again = await server.client.on({ id }, "POST", "/fork", { token, key, body });
    expect(again.body.childToken).toBe(forked.body.childToken);
    expect(again.body.child.id).toBe(forked.body.child.id);
    const child = new TestAgent(server.client, {
      id: again.body.child.id,
      token: again.body.childToken,
    });
    await child.call("PATCH", "", { fields: { done: 2 } });
    const { lineage } = (await child.call("GET", "/lineage")).body;
    expect(lineage.map((one: { sessionId: string }) => one.sessionId)).toEqual([id, child.id]);
  });
});

describe("an audit of 10,000 entries as JSONL", () => {
  const ENTRIES = 10_000;

  it("streams completely, in order, in many chunks, also filtered", async () => {
    const agent = await createAgent();
    const payload = { filling: "x".repeat(500) };
    const events = Array.from({ length: 1_000 }, (_, index) => ({
      type: index % 2 === 0 ? "agent.even" : "agent.odd",
      payload,
    }));
    for (let n = 0; n < ENTRIES; n += events.length)
      await agent.call("POST", "/events", { events });
    const { head } = await agent.session();
    const { chunks, seqs } = await readAudit(agent, "");
    expect(head).toBeGreaterThanOrEqual(ENTRIES);
    expect(seqs).toEqual(Array.from({ length: head }, (_, index) => index + 1));
    const sizes = chunks.map(({ length }) => length);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(Math.max(...sizes)).toBeLessThan(total / 4);
    const filtered = await readAudit(agent, "?type=agent.odd&actorKind=agent&outcome=success");
    expect(filtered.seqs).toHaveLength(ENTRIES / 2);
    expect(filtered.seqs).toEqual([...new Set(filtered.seqs)].toSorted((a, b) => a - b));
  });
});

async function open(id: string, path: string, token: string, accept: string) {
  const outgoing = request(`${server.url}/sessions/${id}${path}`, {
    headers: { Authorization: `Bearer ${token}`, Accept: accept },
  });
  outgoing.end();
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  return answer;
}

/** A stream that has ended its replay and is live. */
async function openStream(id: string, token: string): Promise<IncomingMessage> {
  const stream = await open(id, "/events", token, "text/event-stream");
  stream.setEncoding("utf8");
  await readUntil(stream, "event: replay.done\n");
  return stream;
}

async function readUntil(stream: IncomingMessage, mark: string): Promise<string> {
  let text = "";
  while (!text.includes(mark)) {
    const chunk = stream.read() as string | null;
    if (chunk === null) await once(stream, "readable");
    else text += chunk;
  }
  return text;
}

async function readAudit({ id, token }: TestAgent, query: string) {
  const answer = await open(id, `/audit${query}`, token, "application/jsonl");
  expect(answer.headers["content-type"]).toBe("application/jsonl");
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  const text: string = Buffer.concat(chunks).toString("utf8");
  const seqs = text
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as LoggedEvent).seq);
  return { chunks, seqs };
}
