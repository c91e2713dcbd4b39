/**
 * Content that is sent live: a listener that loses access gets nothing of what follows, on every kind
 * of connection.
 */
import { describe, expect, it, vi } from "vitest";
import { resumeOf } from "../support/arcp";
import { createMarker, expectNoContent, leaksIn } from "../support/gate/marker";
import { LISTENERS, watchJob, type OpenListener } from "../support/gate/listeners";
import { connectArcp } from "../support/gate/access-paths";
import { TestAgent } from "../support/test-agent";
import { agentName, Jobs, type Claim } from "../support/jobs";
import { inTime } from "../support/live/in-time";
import { send } from "../support/live/worker-access";
import { client } from "../support/worker";

const jobs = new Jobs(client);
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
/** Like `expect.poll`, which does not work with concurrent tests. */
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 90_000 });

interface LiveFixture {
  readonly marker: string;
  readonly owner: TestAgent;
  readonly invitee: { readonly id: string; readonly token: string; readonly participant: string };
  readonly maker: string;
  readonly claim: Claim;
  readonly jobId: string;
  /** When the invitee's own access or the session expires. */
  readonly endsAt: number;
}

const emit = (claim: Claim, message: string) =>
  jobs.report(claim, "events", { events: [{ kind: "log", body: { level: "info", message } }] });

/** A session with a running job, and an invitee in the second generation with read access. */
async function createFixture({ sessionMs = 0, inviteeMs = 0 } = {}): Promise<LiveFixture> {
  const marker = createMarker();
  const owner = await TestAgent.create(client);
  const agent = agentName();
  const jobId = (await owner.call("POST", "/jobs", { agent })).body.job.id as string;
  const claim = await jobs.claimOrThrow(agent);
  await emit(claim, "before");
  const handedOff = await owner.call("POST", "/handoffs", { to: "agent", scopes: ["own"] });
  const maker = new TestAgent(client, { id: owner.id, token: handedOff.body.participantToken });
  const inviteeHandoff = await maker.call("POST", "/handoffs", {
    to: "agent",
    scopes: ["fill"],
    ...(inviteeMs === 0 ? {} : { ttlMs: inviteeMs }),
  });
  if (sessionMs > 0) await owner.call("POST", "/extend", { ttlMs: sessionMs });
  const endsAt = Date.now() + Math.max(sessionMs, inviteeMs);
  const { participantToken: token, handoff } = inviteeHandoff.body;
  return {
    marker,
    owner,
    invitee: { id: owner.id, token, participant: handoff.participant },
    maker: handedOff.body.handoff.participant,
    claim,
    jobId,
    endsAt,
  };
}

/** Writes to the document, to the log and to the job. */
async function writeEverywhere({ owner, claim }: LiveFixture, text: string): Promise<void> {
  await Promise.all([
    emit(claim, text),
    owner.tryCall("POST", "/events", { events: [{ type: "agent.note", payload: { text } }] }),
  ]);
  await owner.tryCall("PATCH", "", { fields: { secret: text } });
}

const createWithInviteeTtl = (inviteeMs: number) => createFixture({ inviteeMs });
const createWithSessionTtl = (sessionMs: number) => createFixture({ sessionMs });

/** Everything received up to the end of the connection. */
async function receivedText(listening: OpenListener): Promise<string> {
  await listening.ended;
  return listening.text();
}

const REVOCATIONS: Readonly<Record<string, (fixture: LiveFixture) => Promise<unknown>>> = {
  revoked: ({ owner, invitee }) =>
    owner.call("POST", "/revoke", { participant: invitee.participant }),
  "its maker revoked": ({ owner, maker }) => owner.call("POST", "/revoke", { participant: maker }),
};

describe.concurrent.each(LISTENERS)("a listener by $name", ({ open: listen }) => {
  it("gets events while it has access", async () => {
    const fixture = await createFixture();
    const listening = await listen(fixture.invitee);
    await writeEverywhere(fixture, `${fixture.marker}-early`);
    await eventually(() => expect(leaksIn(listening.text(), fixture.marker)).toEqual(["early"]));
    listening.leave();
  });

  it.each(Object.entries(REVOCATIONS))("gets nothing once it is %s", async (_, revoke) => {
    const fixture = await createFixture();
    const listening = await listen(fixture.invitee);
    await revoke(fixture);
    await writeEverywhere(fixture, `${fixture.marker}-late`);
    expectNoContent({ text: await receivedText(listening) }, fixture.marker);
  });

  it("gets nothing after its own access has expired", async () => {
    const { fixture, listening } = await inTime(createWithInviteeTtl, ({ invitee }) =>
      listen(invitee),
    );
    await wait(fixture.endsAt - Date.now() + 20);
    await writeEverywhere(fixture, `${fixture.marker}-late`);
    await wait(300);
    await writeEverywhere(fixture, `${fixture.marker}-later`);
    expectNoContent({ text: await receivedText(listening) }, fixture.marker);
  });

  it("gets nothing once the session has expired", async () => {
    const { fixture, listening } = await inTime(createWithSessionTtl, ({ invitee }) =>
      listen(invitee),
    );
    await wait(fixture.endsAt - Date.now() + 20);
    await writeEverywhere(fixture, `${fixture.marker}-late`);
    expectNoContent({ text: await receivedText(listening) }, fixture.marker);
  });
});

describe.concurrent.each(LISTENERS.filter(({ name }) => name !== "ARCP"))(
  "a listener by $name",
  ({ open: listen }) => {
    it("gets nothing once its participant has resumed on another connection", async () => {
      const fixture = await createFixture();
      const listening = await listen(fixture.invitee);
      await new TestAgent(client, fixture.invitee).call("POST", "/resume", {});
      await writeEverywhere(fixture, `${fixture.marker}-late`);
      expectNoContent({ text: await receivedText(listening) }, fixture.marker);
    });
  },
);

/** The invitee resumes over ARCP; another session of the same bearer watches the job. */
async function watchAsInvitee(fixture: LiveFixture): Promise<OpenListener> {
  const bearer = crypto.randomUUID();
  const arcp = await connectArcp(send);
  const extra = resumeOf(fixture.invitee.token, 0) ?? {};
  expect((await arcp.hello({ bearer, extra })).type).toBe("session.welcome");
  const listening = await watchJob(bearer, fixture.jobId);
  // It is live once a new event has reached it.
  await emit(fixture.claim, "is it live?");
  await eventually(() => expect(listening.text()).toContain("is it live?"));
  return listening;
}

describe.concurrent("a watcher of a job from another session of the same bearer", () => {
  it("gets events while it has access", async () => {
    const fixture = await createFixture();
    const listening = await watchAsInvitee(fixture);
    await writeEverywhere(fixture, `${fixture.marker}-early`);
    await eventually(() => expect(leaksIn(listening.text(), fixture.marker)).toEqual(["early"]));
    listening.leave();
  });

  it.each(Object.entries(REVOCATIONS))("gets nothing once it is %s there", async (_, revoke) => {
    const fixture = await createFixture();
    const listening = await watchAsInvitee(fixture);
    await revoke(fixture);
    await writeEverywhere(fixture, `${fixture.marker}-late`);
    await jobs.report(fixture.claim, "result", { result: `${fixture.marker}-result` });
    await wait(500);
    listening.leave();
    expectNoContent({ text: listening.text() }, fixture.marker);
  });

  it("gets nothing after its access there has expired", async () => {
    const { fixture, listening } = await inTime(createWithInviteeTtl, watchAsInvitee);
    await wait(fixture.endsAt - Date.now() + 20);
    await writeEverywhere(fixture, `${fixture.marker}-late`);
    await wait(300);
    await jobs.report(fixture.claim, "result", { result: `${fixture.marker}-result` });
    await wait(500);
    listening.leave();
    expectNoContent({ text: listening.text() }, fixture.marker);
  });

  it("cannot start to watch without access there", async () => {
    const fixture = await createFixture();
    const bearer = crypto.randomUUID();
    const arcp = await connectArcp(send);
    await arcp.hello({ bearer, extra: resumeOf(fixture.invitee.token, 0) ?? {} });
    await REVOCATIONS["revoked"]!(fixture);
    await jobs.report(fixture.claim, "result", { result: `${fixture.marker}-result` });
    const watcher = await connectArcp(send);
    await watcher.hello({ bearer });
    watcher.send("job.subscribe", { job_id: fixture.jobId, history: true });
    const answer = await watcher.next();
    expect([answer.type, answer.payload.code]).toEqual(["session.error", "JOB_NOT_FOUND"]);
    expectNoContent({ text: JSON.stringify(watcher.frames) }, fixture.marker);
  });
});

describe.concurrent("a connection over ARCP that is still open", () => {
  it("gets no content after its access has expired", async () => {
    const { fixture, listening } = await inTime(
      createWithInviteeTtl,
      async ({ invitee, claim, marker }) => {
        await jobs.report(claim, "result", { result: `${marker}-result` });
        const arcp = await connectArcp(send);
        const welcome = await arcp.hello({ extra: resumeOf(invitee.token, 2) ?? {} });
        if (welcome.type !== "session.welcome") throw new Error(JSON.stringify(welcome));
        return { arcp, leave: () => arcp.drop() };
      },
    );
    const { arcp } = listening;
    await wait(fixture.endsAt - Date.now() + 20);
    arcp.send("session.list_jobs");
    arcp.send("job.subscribe", { job_id: fixture.jobId, history: true });
    await Promise.race([arcp.closed, wait(1_000)]);
    arcp.drop();
    const receivedTypes = arcp.frames.slice(1).map(({ type }) => type);
    expect(receivedTypes).not.toContain("session.jobs");
    expect(receivedTypes).not.toContain("job.subscribed");
    expectNoContent({ text: JSON.stringify(arcp.frames) }, fixture.marker);
  });
});
