/** Regressions: ways around the gate, each as it was found. Cases of the gate tables are not repeated here. */
import { evictDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { resumeOf, type ArcpClient } from "../support/arcp";
import { sendFrom } from "../support/caller";
import { watchJob } from "../support/gate/listeners";
import { connectArcp } from "../support/gate/access-paths";
import { TestAgent } from "../support/test-agent";
import { agentName, Jobs, type Claim } from "../support/jobs";
import { openStream, send } from "../support/live/worker-access";
import { client, inside, stubOf } from "../support/worker";

const jobs = new Jobs(client);
const ROW_BYTES = 1_900_000;

const emit = (claim: Claim, message: string) =>
  jobs.report(claim, "events", { events: [{ kind: "log", body: { level: "info", message } }] });

async function greeted(bearer: string): Promise<ArcpClient> {
  const arcp = await connectArcp(send);
  expect((await arcp.hello({ bearer })).type).toBe("session.welcome");
  return arcp;
}

const resume = async (token: string, bearer: string) => {
  const arcp = await connectArcp(send);
  return { arcp, frame: await arcp.hello({ bearer, extra: resumeOf(token, 0) ?? {} }) };
};

describe("a token of which the ARCP welcome may have been lost", () => {
  it.each([
    ["PATCH", "", { title: "on" }],
    ["POST", "/resume", {}],
    ["POST", "/handoffs", { to: "agent", scopes: ["view"] }],
  ])(
    "is refused once a newer token of its line was spent over HTTP (%s %s)",
    async (method, path, body) => {
      const bearer = crypto.randomUUID();
      const welcomed = await greeted(bearer);
      welcomed.drop();
      const first = await resume(welcomed.resumeToken, bearer);
      expect(first.frame.type).toBe("session.welcome");
      const owner = new TestAgent(client, {
        id: welcomed.sessionId,
        token: first.arcp.resumeToken,
      });
      await owner.call(method, path, body);
      const late = await resume(welcomed.resumeToken, bearer);
      expect([late.frame.type, late.frame.payload.code]).toEqual([
        "session.error",
        "RESUME_WINDOW_EXPIRED",
      ]);
      expect((await owner.tryCall("PATCH", "", { title: "still mine" })).status).toBe(200);
    },
  );
});

/** The session's row as it is after it was filled to the limit and then changed within its reserve. */
async function fillRow(session: { readonly id: string }, bytes: number): Promise<void> {
  await inside(session, (_, { storage }) => {
    const row = storage.sql
      .exec(
        `SELECT state, paused, version, title, fields, field_meta, review, next_step, updated_at,
        updated_by, expires_at, ended_at, revoked, automation, children, checkpoints_made, trimmed,
        participants, plan, schema FROM session`,
      )
      .one();
    const size = Object.values(row)
      .map((cell) => (typeof cell === "string" ? new TextEncoder().encode(cell).length : 8))
      .reduce((sum, one) => sum + one, 0);
    const fields = JSON.parse(String(row["fields"])) as { pad: string };
    const pad = fields.pad + "x".repeat(bytes - size);
    storage.sql.exec("UPDATE session SET fields = ?", JSON.stringify({ ...fields, pad }));
  });
  await evictDurableObject(stubOf(session), { webSockets: "hibernate" });
}

describe("a session with a full row", () => {
  it("is resumed over ARCP like over HTTP", async () => {
    const agent = await TestAgent.create(client, { fields: { pad: "" } });
    await fillRow(agent, ROW_BYTES);
    await agent.call("POST", "/resume", {});
    const { frame } = await resume(agent.token, "somebody");
    expect(frame.type, JSON.stringify(frame.payload)).toBe("session.welcome");
  });

  it("sends its listeners what is in its log and nothing else, also if watching is refused", async () => {
    const bearer = crypto.randomUUID();
    const agent = agentName();
    const watched = await greeted(bearer);
    const jobId = await watched.submit({ agent });
    const claim = await jobs.claimOrThrow(agent);
    const watcher = await watchJob(bearer, jobId);
    await emit(claim, "is it live?");
    await expect.poll(() => watcher.text()).toContain("is it live?");
    const welcome = JSON.parse(watcher.text().split("\n")[0]!);
    const participant = new TestAgent(client, {
      id: welcome.session_id,
      token: welcome.payload.resume_token,
    });
    await participant.call("PATCH", "", { fields: { pad: "" } });
    const { head } = await participant.session();
    const stream = await openStream(participant, `?after=${head}`);
    expect((await stream.next())?.event).toBe("replay.done");
    await fillRow(participant, ROW_BYTES + 1);

    await emit(claim, "while it is full");
    await new Promise((resolve) => setTimeout(resolve, 300));
    await participant.append("agent.real");
    await participant.append("agent.last");
    const received: string[] = [];
    while (!received.some((line) => line.endsWith("agent.last"))) {
      const frame = await stream.next();
      received.push(`${frame?.id} ${frame?.event}`);
      if (frame === null) break;
    }

    await stream.cancel();
    watcher.leave();
    const log = await participant.call("GET", `/events?after=${head}`);
    const logged = log.body.events as { seq: number; type: string }[];
    expect(received).toEqual(logged.map(({ seq, type }) => `${seq} ${type}`));
  });
});

describe("a frame over ARCP", () => {
  it("has no trace member if there is no trace", async () => {
    const bearer = crypto.randomUUID();
    const arcp = await greeted(bearer);
    const jobId = await arcp.submit({ agent: agentName() });
    arcp.send("session.list_jobs");
    const listed = await arcp.until("session.jobs");
    expect(listed.payload.jobs).toHaveLength(1);
    expect(listed.payload.jobs[0]).not.toHaveProperty("trace_id");
    arcp.send("job.subscribe", { job_id: jobId });
    await arcp.until("job.subscribed");
    const watcher = await watchJob(bearer, jobId);
    expect(JSON.stringify(arcp.frames) + watcher.text()).not.toContain('"trace_id":null');
  });
});

const report = (claim: Claim, result: unknown) => jobs.report(claim, "result", { result });

async function createEndedJob(): Promise<{
  work: Awaited<ReturnType<Jobs["submitInNewSession"]>>;
  claim: Claim;
}> {
  const agent = agentName();
  const work = await jobs.submitInNewSession(agent);
  const claim = await jobs.claimOrThrow(agent);
  expect((await report(claim, { answer: 1 })).status).toBe(200);
  return { work, claim };
}

describe("a job that has its result", () => {
  it("refuses another one with 409, and retains the first", async () => {
    const { work, claim } = await createEndedJob();
    const other = await report(claim, { answer: 2 });
    expect([other.status, other.body.code]).toEqual([409, "illegal_transition"]);
    const failed = await jobs.report(claim, "error", { code: "late" });
    expect(failed.status).toBe(409);
    expect((await jobs.get(work)).job).toMatchObject({ status: "success", result: { answer: 1 } });
  });

  it("accepts the identical one again as a replay", async () => {
    const { claim } = await createEndedJob();
    const repeated = await report(claim, { answer: 1 });
    expect([repeated.status, repeated.headers.get("Idempotent-Replayed")]).toEqual([200, "true"]);
  });
});

describe("a message over ARCP", () => {
  const printed: string[] = [];
  beforeEach(() => {
    printed.length = 0;
    vi.spyOn(console, "log").mockImplementation((text: string) => void printed.push(text));
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each(["session.hello", "session.list_jobs", "job.submit"])(
    "(%s) is logged with the time spent in objects",
    async (operation) => {
      const arcp = await connectArcp(sendFrom({}, { LOG: "requests" }));
      await arcp.hello();
      arcp.send("job.submit", { agent: agentName() });
      arcp.send("session.list_jobs");
      await arcp.until("session.jobs");
      arcp.drop();
      const lineOf = () =>
        printed
          .map((text) => JSON.parse(text) as Record<string, unknown>)
          .find((line) => line["operation"] === operation);
      await expect.poll(lineOf).toBeDefined();
      expect(typeof lineOf()?.["objectMs"], JSON.stringify(lineOf())).toBe("number");
    },
  );
});
