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
    const again = await new Client(otherSend).call("POST", "/sessions", { key, body });
    expectNoContent({ text: allOf(again) }, marker);
    if (isRefused(loss)) {
      expect([again.status, again.text]).toEqual([403, wrong]);
      return;
    }
    expect(again.status, again.text).toBe(201);
    expect(again.body.resumeToken).toBe(first.body.resumeToken);
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    expectOutline(again.body.session);
  });

  it("reads nothing by repeating its create request over MCP", async () => {
    const { marker, key, body, send, otherSend, lose } = prepareCreation(loss);
    const { ttlMs, ...rest } = body as { ttlMs: number };
    const args = { ...rest, ttl_ms: ttlMs, idempotency_key: key };
    const first = await mcpOf(send).call("create_session", args);
    expect(first.isError, first.text).toBe(false);
    await lose({ id: first.facts.session.id, token: first.facts.resume_token });
    const again = await mcpOf(otherSend).request("tools/call", {
      name: "create_session",
      arguments: args,
    });
    expectNoContent({ text: `${headersText(again.headers)}\n${again.text}` }, marker);
    const { isError, facts } = toolAnswer(again.message.result);
    if (isRefused(loss)) {
      expect([isError, facts.code]).toEqual([true, "token_invalid"]);
      return;
    }
    expect(isError, again.text).toBe(false);
    expect(facts.resume_token).toBe(first.facts.resume_token);
    expectOutline(facts.session);
  });
});

it("a creator with access gets the current session by repeating its create request", async () => {
  const [key, body] = [randomKey(), { title: "plain" }];
  const first = await client.call("POST", "/sessions", { key, body });
  const hand = new TestAgent(client, { id: first.body.session.id, token: first.body.resumeToken });
  await hand.call("PATCH", "", { fields: { now: "so" } });
  const again = await client.call("POST", "/sessions", { key, body });
  expect([again.status, again.body.session.fields]).toEqual([201, { now: "so" }]);
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
  const made = await child.call("POST", "/handoffs", { to: "agent", scopes: ["own"] });
  const heir = new TestAgent(client, { id: child.id, token: made.body.participantToken });
  await heir.call("POST", "/revoke", { participant: "par_1" });
}

describe.each(IN_CHILD)("a participant without access to the child of its fork (%s)", (loss) => {
  it("reads nothing of the child by repeating the fork", async () => {
    const marker = createMarker();
    const parent = await TestAgent.create(client, { title: "parent" });
    const made = await parent.call("POST", "/handoffs", { to: "agent", scopes: ["own"] });
    const forker = { id: parent.id, token: made.body.participantToken as string };
    const options = { token: forker.token, key: randomKey(), body: { reason: "another way" } };
    const first = await client.on(forker, "POST", "/fork", options);
    expect(first.status, first.text).toBe(201);
    const child = new TestAgent(client, { id: first.body.child.id, token: first.body.childToken });
    await child.call("PATCH", "", {
      title: `${marker}-title`,
      fields: { secret: `${marker}-field` },
    });
    await loseChild(loss, parent, child);
    const again = await client.on(forker, "POST", "/fork", options);
    expectNoContent({ text: allOf(again) }, marker);
    expect(again.status, again.text).toBe(201);
    expect(again.body.childToken).toBe(first.body.childToken);
    expect(again.body.session.title).toBe("parent");
    if (again.body.child !== null) expectOutline(again.body.child);
  });
});

/** A job that the participant submitted with a key, and that has ended with a marked result. */
async function submitted(loss: Loss, over: "http" | "mcp") {
  const stage = await createFixture(loss, { contents: [], scopes: ["fill"] });
  const [agent, key] = [agentName(), randomKey()];
  const args = { agent, input: "plain", idempotency_key: key };
  const ask = async ({ send, token } = stage.subject) => {
    if (over === "http") {
      const options = { body: { agent, input: "plain" }, key };
      return requestOverHttp({ send, token }, stage.id, { method: "POST", path: "/jobs", options });
    }
    const call = { name: "submit_job", arguments: { resume_token: token, ...args } };
    const { message, text } = await mcpOf(send).request("tools/call", call);
    const { isError, facts } = toolAnswer(message.result);
    return { status: null, code: isError ? (facts.code as string) : null, text, body: facts };
  };
  const first = await ask();
  const claim = await jobs.claimOrThrow(agent);
  await jobs.report(claim, "result", { result: `${stage.marker}-result` });
  return { stage, first, ask };
}

describe.each(LOSSES)("a participant without access (%s)", (loss) => {
  it.each(["http", "mcp"] as const)("sees no result by repeating a job over %s", async (over) => {
    const { stage, first, ask } = await submitted(loss, over);
    const again = await ask(await stage.lose());
    expectNoContent(again, stage.marker);
    if (loss === "session expired") {
      expect(again.code, again.text).toBeNull();
      expect(again.body.job.id).toBe(first.body.job.id);
      return;
    }
    expect(again.code, again.text).toBe(REFUSAL[loss]);
    if (again.status !== null) expect(again.status).toBe(STATUS[REFUSAL[loss]]);
  });
});

it("a participant with access sees the result by repeating its job", async () => {
  const { stage, ask } = await submitted("revoked", "http");
  expect((await ask()).body.job.result).toBe(`${stage.marker}-result`);
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
      const stage = await createFixture(loss, { contents: [] });
      const given = { resume_token: stage.subject.token, idempotency_key: randomKey(), ...args };
      const first = await mcpOf(stage.subject.send).call(name, given);
      expect(first.isError, first.text).toBe(false);
      const { send } = await stage.lose(first.facts.resume_token);
      const call = { name, arguments: given };
      const { message, text } = await mcpOf(send).request("tools/call", call);
      const again = toolAnswer(message.result);
      expectNoContent({ text }, stage.marker);
      if (loss === "session expired") {
        expect(again.isError, text).toBe(false);
        expect(again.facts.resume_token).toBe(first.facts.resume_token);
        expectShown(again.facts.session);
      } else expect(again.facts.code).toBe(REFUSAL[loss]);
    });
  },
);
