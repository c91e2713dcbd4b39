/**
 * Requests that created something with a key and are repeated: a create, a fork and its child, a job.
 * Each returns its outcome and its secrets, and content only to a caller who may view it now.
 */
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { Client, randomKey, type Answer } from "../support/client";
import { CREATOR_LOSSES, prepareCreation, type CreatorLoss } from "../support/gate/creators";
import {
  createMarker,
  expectNoContent,
  expectOutline,
  expectShortOutline,
  headersText,
} from "../support/gate/marker";
import {
  LOSSES,
  advanceTime,
  REFUSAL,
  createFixture,
  STATUS,
  type Loss,
} from "../support/gate/fixture";
import { requestOverHttp, mcpOf } from "../support/gate/access-paths";
import { TestAgent } from "../support/test-agent";
import { agentName, Jobs } from "../support/jobs";
import { toolAnswer } from "../support/mcp";
import { client } from "../support/worker";

const DAY_MS = 24 * 60 * 60 * 1000;
const jobs = new Jobs(client);

afterEach(() => {
  vi.useRealTimers();
});

let wrong = "";
beforeAll(async () => {
  wrong = (await client.call("GET", "/sessions/rtok_none")).text;
});

const allOf = ({ headers, text }: Answer): string => `${headersText(headers)}\n\n${text}`;

/** 403 if revoked or on another network; the others get their token and only an outline. */
const isRefused = (loss: CreatorLoss): boolean => REFUSAL[loss] === "token_invalid";

describe.each(CREATOR_LOSSES)("a creator without access (%s)", (loss) => {
  it("reads nothing by repeating its create request", async () => {
    const { marker, key, body, send, otherSend, lose } = prepareCreation(loss);
    const first = await new Client(send).call("POST", "/sessions", { key, body });
    expect(first.status, first.text).toBe(201);
    await lose({ id: first.body.session.id, token: first.body.resumeToken });
    const repeated = await new Client(otherSend).call("POST", "/sessions", { key, body });
    expectNoContent({ text: allOf(repeated) }, marker);
    if (isRefused(loss)) {
      expect([repeated.status, repeated.text]).toEqual([403, wrong]);
      return;
    }
    expect(repeated.status, repeated.text).toBe(201);
    expect(repeated.body.resumeToken).toBe(first.body.resumeToken);
    expect(repeated.headers.get("Idempotent-Replayed")).toBe("true");
    expectOutline(repeated.body.session);
  });

  it("reads nothing by repeating its create request over MCP", async () => {
    const { marker, key, body, send, otherSend, lose } = prepareCreation(loss);
    const { ttlMs, ...rest } = body as { ttlMs: number };
    const args = { ...rest, ttl_ms: ttlMs, idempotency_key: key };
    const first = await mcpOf(send).call("create_session", args);
    expect(first.isError, first.text).toBe(false);
    await lose({ id: first.facts.session.id, token: first.facts.resume_token });
    const repeated = await mcpOf(otherSend).request("tools/call", {
      name: "create_session",
      arguments: args,
    });
    expectNoContent({ text: `${headersText(repeated.headers)}\n${repeated.text}` }, marker);
    const { isError, facts } = toolAnswer(repeated.message.result);
    if (isRefused(loss)) {
      expect([isError, facts.code]).toEqual([true, "token_invalid"]);
      return;
    }
    expect(isError, repeated.text).toBe(false);
    expect(facts.resume_token).toBe(first.facts.resume_token);
    expectOutline(facts.session);
  });
});

it("a creator with access gets the current session by repeating its create request", async () => {
  const [key, body] = [randomKey(), { title: "plain" }];
  const first = await client.call("POST", "/sessions", { key, body });
  const agent = new TestAgent(client, { id: first.body.session.id, token: first.body.resumeToken });
  await agent.call("PATCH", "", { fields: { now: "so" } });
  const repeated = await client.call("POST", "/sessions", { key, body });
  expect([repeated.status, repeated.body.session.fields]).toEqual([201, { now: "so" }]);
});

const IN_CHILD = ["revoked", "session expired", "fenced by a later resume"] as const;

/** Access to the child is lost, access to the parent is not. */
async function loseChild(loss: (typeof IN_CHILD)[number], parent: TestAgent, child: TestAgent) {
  if (loss === "session expired") {
    await parent.call("POST", "/extend", { ttlMs: 60 * DAY_MS });
    advanceTime(8 * DAY_MS);
    return;
  }
  if (loss === "fenced by a later resume") return void (await child.call("POST", "/resume", {}));
  const handedOff = await child.call("POST", "/handoffs", { to: "agent", scopes: ["own"] });
  const heir = new TestAgent(client, { id: child.id, token: handedOff.body.participantToken });
  await heir.call("POST", "/revoke", { participant: "par_1" });
}

describe.each(IN_CHILD)("a participant without access to the child of its fork (%s)", (loss) => {
  it("reads nothing of the child by repeating the fork", async () => {
    const marker = createMarker();
    const parent = await TestAgent.create(client, { title: "parent" });
    const handedOff = await parent.call("POST", "/handoffs", { to: "agent", scopes: ["own"] });
    const forker = { id: parent.id, token: handedOff.body.participantToken as string };
    const options = { token: forker.token, key: randomKey(), body: { reason: "another way" } };
    const first = await client.on(forker, "POST", "/fork", options);
    expect(first.status, first.text).toBe(201);
    const child = new TestAgent(client, { id: first.body.child.id, token: first.body.childToken });
    await child.call("PATCH", "", {
      title: `${marker}-title`,
      fields: { secret: `${marker}-field` },
    });
    await loseChild(loss, parent, child);
    const repeated = await client.on(forker, "POST", "/fork", options);
    expectNoContent({ text: allOf(repeated) }, marker);
    expect(repeated.status, repeated.text).toBe(201);
    expect(repeated.body.childToken).toBe(first.body.childToken);
    expect(repeated.body.session.title).toBe("parent");
    if (repeated.body.child !== null) expectOutline(repeated.body.child);
  });
});

/** A job that the participant submitted with a key, and that has ended with a marked result. */
async function submitted(loss: Loss, face: "http" | "mcp") {
  const fixture = await createFixture(loss, { contents: [], scopes: ["fill"] });
  const [agent, key] = [agentName(), randomKey()];
  const args = { agent, input: "plain", idempotency_key: key };
  const submitJob = async ({ send, token } = fixture.subject) => {
    if (face === "http") {
      const options = { body: { agent, input: "plain" }, key };
      return requestOverHttp({ send, token }, fixture.id, {
        method: "POST",
        path: "/jobs",
        options,
      });
    }
    const call = { name: "submit_job", arguments: { resume_token: token, ...args } };
    const { message, text } = await mcpOf(send).request("tools/call", call);
    const { isError, facts } = toolAnswer(message.result);
    return { status: null, code: isError ? (facts.code as string) : null, text, body: facts };
  };
  const first = await submitJob();
  const claim = await jobs.claimOrThrow(agent);
  await jobs.report(claim, "result", { result: `${fixture.marker}-result` });
  return { fixture, first, submitJob };
}

describe.each(LOSSES)("a participant without access (%s)", (loss) => {
  it.each(["http", "mcp"] as const)("sees no result by repeating a job over %s", async (face) => {
    const { fixture, first, submitJob } = await submitted(loss, face);
    const repeated = await submitJob(await fixture.lose());
    expectNoContent(repeated, fixture.marker);
    if (loss === "session expired") {
      expect(repeated.code, repeated.text).toBeNull();
      expect(repeated.body.job.id).toBe(first.body.job.id);
      return;
    }
    expect(repeated.code, repeated.text).toBe(REFUSAL[loss]);
    if (repeated.status !== null) expect(repeated.status).toBe(STATUS[REFUSAL[loss]]);
  });
});

it("a participant with access sees the result by repeating its job", async () => {
  const { fixture, submitJob } = await submitted("revoked", "http");
  expect((await submitJob()).body.job.result).toBe(`${fixture.marker}-result`);
});

/** Each tool with what it shows of a session that may no longer be read. */
const REPEATED_TOOLS: Readonly<Record<string, readonly [object, (shown: object) => void]>> = {
  resume_session: [{ on_invalid: "fail", last_event_seq: 0 }, expectOutline],
  set_fields: [{ fields: { other: "x" } }, expectShortOutline],
  handoff_to_agent: [{ scopes: ["view"] }, expectShortOutline],
  fork_session: [{ reason: "another way" }, expectShortOutline],
};

describe.each(Object.entries(REPEATED_TOOLS))(
  "%s over MCP, repeated with its key",
  (name, [args, expectShown]) => {
    it.each(LOSSES)("shows nothing to a participant without access (%s)", async (loss) => {
      const fixture = await createFixture(loss, { contents: [] });
      const input = { resume_token: fixture.subject.token, idempotency_key: randomKey(), ...args };
      const first = await mcpOf(fixture.subject.send).call(name, input);
      expect(first.isError, first.text).toBe(false);
      const { send } = await fixture.lose(first.facts.resume_token);
      const call = { name, arguments: input };
      const { message, text } = await mcpOf(send).request("tools/call", call);
      const repeated = toolAnswer(message.result);
      expectNoContent({ text }, fixture.marker);
      if (loss === "session expired") {
        expect(repeated.isError, text).toBe(false);
        expect(repeated.facts.resume_token).toBe(first.facts.resume_token);
        expectShown(repeated.facts.session);
      } else expect(repeated.facts.code).toBe(REFUSAL[loss]);
    });
  },
);
