import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { randomKey, type Answer } from "../support/client";
import { TestAgent } from "../support/test-agent";
import { client, inside, objectCount, stubOf } from "../support/worker";

afterEach(() => {
  vi.useRealTimers();
});

const createSession = (body: unknown = {}): Promise<TestAgent> => TestAgent.create(client, body);
const childOf = ({ body }: Answer): TestAgent =>
  new TestAgent(client, { id: body.child.id, token: body.childToken });

const NEXT_STEP = { stepsCompleted: [1, 2], description: "draft the report", body: "Sources: 12" };

describe("a full context", () => {
  // Shows B-1.
  it("leads by checkpoint and fork to a child that continues from the next step", async () => {
    const parent = await createSession({ title: "Report", fields: { a: 1 }, nextStep: NEXT_STEP });
    const stop = await parent.call("POST", "/stops", { reason: "context_exhausted" });
    expect(stop.body.decision).toMatchObject({ strategy: "new_session", waitMs: 0, attempt: 1 });
    await parent.call("POST", "/checkpoints", { name: "full" });
    const forked = await parent.call("POST", "/fork", { reason: "context_exhausted" });
    expect(forked.body.prompt).toBe(
      "Continue this work from step 3: draft the report\n\nWhat is known so far:\nSources: 12\n",
    );
    const child = childOf(forked);
    const childSession = await child.session();
    expect(childSession).toMatchObject({
      title: "Report",
      fields: { a: 1 },
      nextStep: { ...NEXT_STEP, step: 3 },
      parent: { sessionId: parent.id, reason: "context_exhausted" },
    });
    expect(childSession.fieldMeta).toEqual((await parent.session()).fieldMeta);
    await child.call("PATCH", "", { nextStep: { stepsCompleted: [1, 2, 3] }, fields: { a: 2 } });
    expect((await child.session()).nextStep.step).toBe(4);
    expect((await parent.session()).fields).toEqual({ a: 1 });
    const [event] = await parent.events("&type=session.forked");
    expect(event?.payload).toMatchObject({ child: child.id, reason: "context_exhausted" });
    expect(childSession.parent.seq).toBeLessThan(event?.seq ?? 0);
  });
});

describe("a fork", () => {
  // Shows B-2.
  it("returns the same child and tokens when repeated, before and after the child was changed", async () => {
    const parent = await createSession();
    const { id, token } = parent;
    const options = { token, key: randomKey(), body: { reason: "again" } };
    const first = await client.on({ id }, "POST", "/fork", options);
    await childOf(first).call("PATCH", "", { fields: { moved: true } });
    const objects = await objectCount();
    for (let n = 0; n < 3; n++) {
      const repeated = await client.on({ id }, "POST", "/fork", options);
      expect(repeated.status, repeated.text).toBe(201);
      const { childToken, resumeToken, prompt } = first.body;
      expect(repeated.body).toMatchObject({ childToken, resumeToken, prompt });
      expect(repeated.body.child).toMatchObject({
        id: first.body.child.id,
        fields: { moved: true },
      });
      expect(repeated.headers.get("Idempotent-Replayed")).toBe("true");
    }
    expect(await objectCount()).toBe(objects);
    const lineage = await client.on({ id }, "GET", "/lineage", { token: first.body.resumeToken });
    expect(lineage.body.lineage[0].children).toEqual([first.body.child.id]);
  });

  // Shows B-1.
  it("from a checkpoint starts with its content", async () => {
    const parent = await createSession({
      fields: { a: 1 },
      nextStep: { step: 1, description: "one" },
    });
    await parent.call("POST", "/checkpoints", {});
    await parent.call("PATCH", "", { fields: { a: 2 }, nextStep: { step: 2, description: "two" } });
    const forked = await parent.call("POST", "/fork", {
      from: "chk_1",
      template: "{step} {description}",
    });
    expect(forked.body.child).toMatchObject({ fields: { a: 1 }, nextStep: { step: 1 } });
    expect(forked.body.prompt).toBe("1 one");
    expect((await parent.session()).fields).toEqual({ a: 2 });
    const missing = await parent.tryCall("POST", "/fork", { from: "chk_9" });
    expect([missing.status, missing.body.code]).toEqual([404, "not_found"]);
    const odd = await parent.tryCall("POST", "/fork", { from: "first" });
    expect([odd.status, odd.body.code]).toEqual([400, "invalid_request"]);
  });

  // Shows B-5.
  it("of a session that has ended is possible, but cannot end it again", async () => {
    const parent = await createSession({ fields: { a: 1 } });
    await parent.call("POST", "/cancel");
    const repeated = await parent.tryCall("POST", "/fork", { finalizeParent: true });
    expect([repeated.status, repeated.body.code]).toEqual([400, "invalid_request"]);
    const forked = await parent.call("POST", "/fork", { reason: "second try" });
    expect(forked.body.session.state).toBe("cancelled");
    expect(forked.body.child).toMatchObject({ state: "in_progress", fields: { a: 1 } });
    expect((await childOf(forked).call("PATCH", "", { fields: { a: 2 } })).status).toBe(200);
  });

  // Shows B-5.
  it("ends its parent on request, and only in the version that the caller has seen", async () => {
    const parent = await createSession();
    const handedOff = await parent.call("POST", "/handoffs", { to: "agent", scopes: ["fill"] });
    await client.on(parent, "PATCH", "", {
      token: handedOff.body.participantToken,
      body: { fields: { a: 1 } },
    });
    const stale = await parent.tryCall("POST", "/fork", { finalizeParent: true });
    expect([stale.status, stale.body.code]).toEqual([409, "version_conflict"]);
    const { version } = stale.body.current;
    const wrong = await parent.tryCall("POST", "/fork", { finalizeParent: true }, { ifMatch: 1 });
    expect([wrong.status, wrong.body.code]).toEqual([412, "precondition_failed"]);
    expect((await parent.session()).state).toBe("in_progress");
    const forked = await parent.call(
      "POST",
      "/fork",
      { finalizeParent: true },
      { ifMatch: version },
    );
    expect(forked.body.session.state).toBe("finalized");
    expect(forked.body.child).toMatchObject({ state: "in_progress", fields: { a: 1 } });
    expect(await parent.tryCall("PATCH", "", { fields: { b: 1 } })).toMatchObject({ status: 409 });
  });

  it("that does not end its parent need not have seen the newest version", async () => {
    const parent = await createSession();
    const handedOff = await parent.call("POST", "/handoffs", { to: "agent", scopes: ["fill"] });
    await client.on(parent, "PATCH", "", {
      token: handedOff.body.participantToken,
      body: { fields: { a: 1 } },
    });
    expect((await parent.call("POST", "/fork", {})).body.child.fields).toEqual({ a: 1 });
  });

  // Shows B-1.
  it("inherits schema, review and policy, and needs own", async () => {
    const schema = { type: "object", properties: { a: { type: "number" } } };
    const review = { required: true, approvals: 2 };
    const policy = { maxAttempts: 1 };
    const parent = await createSession({ schema, review, policy });
    const handedOff = await parent.call("POST", "/handoffs", { to: "agent", scopes: ["fill"] });
    const denied = await client.on(parent, "POST", "/fork", {
      token: handedOff.body.participantToken,
      body: {},
    });
    expect([denied.status, denied.body.code]).toEqual([403, "scope_denied"]);
    const child = childOf(await parent.call("POST", "/fork", {}));
    expect(await child.session()).toMatchObject({ schema, review, state: "draft" });
    expect((await child.tryCall("PATCH", "", { fields: { a: "x" } })).status).toBe(422);
    const stop = await child.call("POST", "/stops", { reason: "crash" });
    expect(stop.body.decision.strategy).toBe("none");
  });

  // Shows B-1.
  it("gives its child's first token no later end than its maker's", async () => {
    const owner = await createSession();
    const { body } = await owner.call("POST", "/handoffs", {
      to: "agent",
      scopes: ["own"],
      ttlMs: 3_600_000,
    });
    const short = new TestAgent(client, { id: owner.id, token: body.participantToken });
    const key = randomKey();
    const spent = short.token;
    const forked = await short.call("POST", "/fork", {}, { key });
    const child = childOf(forked);
    expect((await child.session()).participants[0].expiresAt).toBe(body.handoff.expiresAt);
    const grandchild = childOf(await child.call("POST", "/fork", {}));
    const lasting = childOf(await owner.call("POST", "/fork", {}));
    expect((await lasting.session()).participants[0].expiresAt).toBeNull();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    for (const agent of [child, grandchild]) {
      const late = await agent.tryCall("PATCH", "", { fields: { a: 1 } });
      expect([late.status, late.body.code]).toEqual([410, "expired"]);
    }
    const repeated = await client.on(owner, "POST", "/fork", { token: spent, key, body: {} });
    expect(repeated.status).toBe(410);
    expect((await lasting.tryCall("GET", "")).status).toBe(200);
  });

  // Shows B-3.
  it("replaces template variables once and never inside inserted values", async () => {
    const nextStep = { step: 5, description: "{context}{step}", body: "{description} $& $1" };
    const parent = await createSession({ nextStep });
    const template = "{step}|{description}|{context}|{other}";
    expect((await parent.call("POST", "/fork", { template })).body.prompt).toBe(
      "5|{context}{step}|{description} $& $1|{other}",
    );
  });
});

describe("a line of forks", () => {
  // Shows B-7.
  it("shows all sessions from root to leaf to each of them, with purged ones as gone", async () => {
    const root = await createSession({ title: "root" });
    const middle = childOf(await root.call("POST", "/fork", { reason: "one" }));
    const leaf = childOf(await middle.call("POST", "/fork", { reason: "two" }));
    const ids = [root.id, middle.id, leaf.id];
    for (const [index, agent] of [root, middle, leaf].entries()) {
      const { lineage } = (await agent.call("GET", "/lineage")).body;
      expect(lineage.map((one: { sessionId: string }) => one.sessionId)).toEqual(ids);
      expect(lineage.map((one: { reason: string | null }) => one.reason)).toEqual([
        null,
        "one",
        "two",
      ]);
      expect(lineage.findIndex((one: { current: boolean }) => one.current)).toBe(index);
      expect(lineage[0].children).toEqual([middle.id]);
      expect(lineage[1].children).toEqual([leaf.id]);
    }
    await middle.call("DELETE", "");
    const { lineage } = (await leaf.call("GET", "/lineage")).body;
    expect(lineage.map((one: { state: string }) => one.state)).toEqual(["gone", "draft"]);
    expect((await root.call("GET", "/lineage")).body.lineage[1]).toMatchObject({ state: "gone" });
  });
});

type Fault = (make: () => Promise<unknown>) => Promise<unknown>;

/** The parent's next call that creates a child goes through `fault`; later ones do not. */
const breakNext = (parent: TestAgent, fault: Fault): Promise<void> =>
  inside(parent, (instance) => {
    const holder = instance as unknown as { env: { SESSION: DurableObjectNamespace } };
    const { env } = holder;
    const real = env.SESSION;
    const SESSION = {
      idFromString: (hex: string) => real.idFromString(hex),
      get: (id: DurableObjectId) => ({
        write: (command: unknown) => {
          holder.env = env;
          const stub = real.get(id) as unknown as { write(command: unknown): Promise<unknown> };
          return fault(() => stub.write(command));
        },
      }),
    };
    holder.env = { ...env, SESSION } as unknown as typeof env;
  });

const failBefore: Fault = () => Promise.reject(new Error("on purpose: before"));
const failAfter: Fault = async (make) => {
  await make();
  throw new Error("on purpose: after");
};

async function expectWhole(parent: TestAgent, repeated: Answer): Promise<void> {
  expect(repeated.status, repeated.text).toBe(201);
  const child = childOf(repeated);
  expect(await child.session()).toMatchObject({
    fields: { a: 1 },
    parent: { sessionId: parent.id },
  });
  expect(await child.types()).toEqual(["session.created", "token.issued"]);
  parent.token = repeated.body.resumeToken;
  expect(await parent.events("&type=session.forked")).toHaveLength(1);
  expect((await parent.tryCall("POST", "/fork", {})).status).toBe(201);
}

describe.each([
  ["was not created at first", failBefore],
  ["was created, but the response was lost", failAfter],
])("a fork whose child %s", (_, fault) => {
  async function half() {
    // Tomorrow by the object's clock, so that no alarm comes by itself.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 24 * 60 * 60_000 });
    const parent = await createSession({ fields: { a: 1 } });
    const handedOff = await parent.call("POST", "/handoffs", { to: "agent", scopes: ["own"] });
    await breakNext(parent, fault);
    const { id, token } = parent;
    const options = { token, key: randomKey(), body: { reason: "half" } };
    const first = await client.on({ id }, "POST", "/fork", options);
    expect([first.status, first.body.code]).toEqual([503, "overloaded"]);
    expect(first.headers.get("Retry-After")).not.toBeNull();
    const other = new TestAgent(client, { id, token: handedOff.body.participantToken });
    return { parent, other, repeat: () => client.on({ id }, "POST", "/fork", options) };
  }

  // Shows B-6.
  it("is completed by the repeated request", async () => {
    const { parent, repeat } = await half();
    await expectWhole(parent, await repeat());
  });

  // Shows B-6.
  it("is completed by the alarm", async () => {
    const { parent, repeat } = await half();
    const at = await inside(parent, (_, { storage }) => storage.getAlarm());
    expect(at).toBeLessThan(Date.now() + 60_000);
    await runDurableObjectAlarm(stubOf(parent));
    const { body } = await client.on(parent, "GET", "/lineage", { token: parent.token });
    expect(body.lineage.map((one: { state: string }) => one.state)).toEqual([
      "draft",
      "in_progress",
    ]);
    await expectWhole(parent, await repeat());
  });

  // Shows B-6.
  it("makes another fork wait until then", async () => {
    const { other, repeat } = await half();
    const waiting = await other.tryCall("POST", "/fork", {});
    expect([waiting.status, waiting.body.code]).toEqual([409, "busy"]);
    expect(waiting.headers.get("Retry-After")).not.toBeNull();
    await repeat();
    expect((await other.tryCall("POST", "/fork", {})).status).toBe(201);
  });
});
