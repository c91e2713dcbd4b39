/** Every MCP tool against the same rules, and a few against their own. */
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { randomKey } from "../support/client";
import { withWrongSecret, type Facts } from "../support/mcp";
import { mcp } from "../support/mcp-worker";
import { client, rowsWrittenBy } from "../support/worker";

const DAY_MS = 24 * 3_600_000;

beforeEach(() => {
  // Tomorrow by the object's clock, so that no alarm runs by itself and is counted with a call.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + DAY_MS });
});
afterEach(() => {
  vi.useRealTimers();
});

type Args = Readonly<Record<string, unknown>>;

/** The arguments of each tool besides the token, on a session that can be submitted. */
const TOKEN_SPENDING: Readonly<Record<string, Args>> = {
  resume_session: { on_invalid: "fail" },
  set_fields: { fields: { city: "Porto" }, confidence: 0.5, next_step: { step: 2 } },
  submit: {},
  handoff_to_agent: { scopes: ["view"], note: "have a look" },
  handoff_to_human: { scopes: ["fill"], note: "please complete", single_use: true },
  request_upload: { name: "ticket.txt", type: "text/plain", size: 5 },
  checkpoint: { name: "now" },
  fork_session: { reason: "another way" },
  pause_session: { reason: "lunch" },
  unpause_session: {},
  cancel_session: { reason: "no longer needed" },
  extend_session: { ttl_ms: 3_600_000 },
  revoke_participant: { participant: "par_2" },
  reissue_link: { handoff: "hnd_3" },
};
const TOKEN_KEEPING: Readonly<Record<string, (session: Session) => Args>> = {
  get_session: () => ({}),
  check_session: () => ({ last_event_seq: 1 }),
  read_events: () => ({ after: 0 }),
  wait_for: () => ({ types: ["session.created"], after: 0 }),
  validate: () => ({ fields: { city: "Porto" } }),
  append_events: () => ({ events: [{ type: "agent.note", payload: { text: "hello" } }] }),
  report_stop: () => ({ reason: "rate_limit", attempt: 1 }),
  submit_job: () => ({ agent: "translator", input: { text: "olá" }, max_runtime_ms: 60_000 }),
  get_job: ({ job }) => ({ job_id: job }),
  cancel_job: ({ job }) => ({ job_id: job, reason: "no longer needed" }),
};

interface Session {
  readonly id: string;
  readonly token: string;
  readonly version: number;
  /** A job that waits for an executor. */
  readonly job: string;
}

async function createSession(): Promise<Session> {
  const { facts } = await mcp.call("create_session", { fields: { city: "Lisbon" } });
  const scopes = ["view"];
  const handedOff = await mcp.call("handoff_to_agent", {
    resume_token: facts.resume_token,
    scopes,
  });
  const linked = await mcp.call("handoff_to_human", {
    resume_token: handedOff.facts.resume_token,
    scopes,
  });
  const { session, resume_token: token } = linked.facts;
  const submitted = await mcp.call("submit_job", { resume_token: token, agent: "waiting" });
  return { id: session.id, token, version: session.version, job: submitted.facts.job.id };
}

async function succeed(name: string, args: Args): Promise<Facts> {
  const { isError, text, facts } = await mcp.call(name, args);
  expect(isError, `${name}: ${text}`).toBe(false);
  return facts;
}

async function fail(name: string, args: Args): Promise<Facts> {
  const { isError, text, facts } = await mcp.call(name, args);
  expect(isError, `${name}: ${text}`).toBe(true);
  expect(text.startsWith(`${facts.code}: `)).toBe(true);
  expect(facts.nextActions.length).toBeGreaterThan(0);
  return facts;
}

let tools: readonly Facts[];
beforeAll(async () => {
  const { message } = await mcp.request("tools/list", {});
  tools = message.result.tools;
});

it("the list of tools takes less than 26 KB, and a response of set_fields less than 1 KB", async () => {
  const list = JSON.stringify({ tools }).length;
  const { token } = await createSession();
  const { message } = await mcp.request("tools/call", {
    name: "set_fields",
    arguments: { resume_token: token, fields: { city: "Porto" } },
  });
  const answer = JSON.stringify(message.result).length;
  expect(list).toBeLessThan(26_000);
  expect(answer).toBeLessThan(1_000);
});

it("wait_for returns the first event of its types, and where to continue if there is none", async () => {
  const { token } = await createSession();
  const request = { resume_token: token, types: ["agent.done"] };

  const none = await succeed("wait_for", { ...request, timeout_ms: 50 });
  const waiting = succeed("wait_for", { ...request, after: none.next_after });
  const events = [
    { type: "agent.other", payload: {} },
    { type: "agent.done", payload: { n: 1 } },
  ];
  await succeed("append_events", { resume_token: token, events });
  const found = await waiting;

  expect(none.event).toBeNull();
  expect(found.event).toMatchObject({ type: "agent.done", payload: { n: 1 } });
  expect(found.next_after).toBe(found.event.seq);
});

it("wait_for waits a minute at most", async () => {
  const { token } = await createSession();
  const request = { resume_token: token, types: ["session.created"], after: 0 };
  await succeed("wait_for", { ...request, timeout_ms: 60_000 });
  await fail("wait_for", { ...request, timeout_ms: 60_001 });
});

it("read_private returns the value behind a hash", async () => {
  const schema = { properties: { iban: { type: "string", "x-baton": { private: true } } } };
  const { token } = await client.create({ schema, fields: { iban: "DE02" } });
  const shown = await succeed("get_session", { resume_token: token });
  expect(Object.keys(shown.session.fields.iban)).toEqual(["$private"]);
  const read = await succeed("read_private", { resume_token: token, field: "iban" });
  expect(read).toMatchObject({ field: "iban", value: "DE02", resume_token: token });
});

it("finalize_session ends what was submitted", async () => {
  const { token } = await createSession();
  const submitted = await succeed("submit", { resume_token: token });
  const done = await succeed("finalize_session", { resume_token: submitted.resume_token });
  expect(done.session.state).toBe("finalized");
  expect(submitted.proof.chain).toMatch(/^[0-9a-f]{64}$/);
  expect(done.proof.seq).toBeGreaterThan(submitted.proof.seq);
});

it("revoke_participant revokes a handoff, and names a malformed id", async () => {
  const { token } = await createSession();
  const handedOff = await succeed("handoff_to_agent", { resume_token: token, scopes: ["view"] });
  const revoked = await succeed("revoke_participant", {
    resume_token: handedOff.resume_token,
    participant: handedOff.handoff.id,
  });
  expect((await fail("get_session", { resume_token: handedOff.participant_token })).code).toBe(
    "token_invalid",
  );
  const wrong = { resume_token: revoked.resume_token, participant: "somebody" };
  const { text } = await mcp.call("revoke_participant", wrong);
  expect(text).toContain("Argument: participant.");
});

it("download_file returns the text of a confirmed file, and the URL of any file", async () => {
  const { id, token } = await createSession();
  const file = { name: "a.txt", type: "text/plain", size: 5 };
  const requested = await succeed("request_upload", { resume_token: token, ...file });
  const path = `/uploads/${requested.upload.id}`;
  const headers = { "Content-Type": "text/plain", "Content-Length": "5" };
  const sent = { token: requested.resume_token, body: "hello", headers };
  expect((await client.on({ id }, "PUT", path, sent)).status).toBe(200);
  const confirmed = await client.on({ id }, "POST", `${path}/confirm`, {
    token: requested.resume_token,
    body: {},
  });
  const resume_token = confirmed.body.resumeToken as string;
  const read = await succeed("download_file", { resume_token, upload: requested.upload.id });
  expect(read).toMatchObject({ text: "hello", upload: { name: "a.txt" } });
  expect(read.get_url).toContain(`/sessions/${id}${path}`);
  expect((await fail("download_file", { resume_token, upload: "upl_9" })).code).toBe("not_found");
});

it("a new session warns first, explains how to return, and names a truncated token", async () => {
  const { token } = await createSession();
  const call = { resume_token: token.slice(0, 60), session_id: undefined, last_event_seq: 7 };
  const { text, facts } = await mcp.call("resume_session", call);
  expect(text).toMatch(/^WARNING \(token_invalid\): .*after event 7 was not resumed\./);
  expect(text).toContain("malformed");
  expect(Object.keys(facts)[0]).toBe("warning");
  expect(facts.warning).toMatchObject({ malformed: true, requested: { lastEventSeq: 7 } });
  expect(facts.warning.recover).toMatch(/resume_session.*cancel_session/);
});

/** Tested with a key, in mcp-owners.test.ts. */
const OF_OWNERS = ["list_sessions", "open_session"];

// Shows Q-10.
it("every tool is tested here", () => {
  const some = [
    "create_session",
    "read_private",
    "finalize_session",
    "download_file",
    "review_session",
    "restore_checkpoint",
  ];
  const others = [...OF_OWNERS, ...some];
  const tried = [...others, ...Object.keys(TOKEN_SPENDING), ...Object.keys(TOKEN_KEEPING)];
  expect(tools.map(({ name }) => name).sort()).toEqual(tried.sort());
});

describe.each(Object.entries(TOKEN_SPENDING))("%s", (name, args) => {
  // Shows Q-2.
  it("returns the next token with its expiry, and the sentence explains what to do with it", async () => {
    const { id, token } = await createSession();
    const { isError, text, facts } = await mcp.call(name, { resume_token: token, ...args });

    expect(isError, text).toBe(false);
    expect(facts.resume_token).not.toBe(token);
    expect(facts.session.id).toBe(id);
    expect(text).toContain("Keep resume_token from this result");
    const whole = await succeed("get_session", { resume_token: facts.resume_token });
    expect(facts.expires_at).toBe(whole.session.expiresAt);
    expect(whole.session).toMatchObject(facts.session);
  });

  // Shows Q-3.
  it("distinguishes a spent token from a bad one", async () => {
    const { id, token } = await createSession();
    const next = await succeed("set_fields", { resume_token: token, fields: { spent: true } });
    const stale = await fail(name, { resume_token: token, ...args });
    const bad = await fail(name, { resume_token: withWrongSecret(token), ...args });

    expect(stale).toMatchObject({ code: "token_superseded", sessionId: id });
    expect(stale.current.version).toBe(next.session.version);
    expect(JSON.stringify(stale)).not.toContain("rtok_");
    expect(JSON.stringify(stale.nextActions)).not.toMatch(/begin|start over|new session/i);
    expect(bad.code).toBe("token_invalid");
    expect(bad).not.toHaveProperty("sessionId");
    expect(bad).not.toHaveProperty("current");
  });

  // Shows Q-4.
  it("returns the same result to the identical call with its key, and does nothing twice", async () => {
    const session = await createSession();
    const call = { resume_token: session.token, idempotency_key: crypto.randomUUID(), ...args };
    const first = await succeed(name, call);
    let second: Facts;
    const rows = await rowsWrittenBy(session, async () => (second = await succeed(name, call)));

    // A proof contains the time of its signature, so it is signed again.
    const { proof: _, ...same } = first;
    expect(second).toMatchObject(same);
    expect(Object.keys(second ?? {})).toEqual(Object.keys(first));
    expect(rows).toBe(0);
    const other = await fail(name, { ...call, idempotency_key: crypto.randomUUID() });
    expect(other.code).toBe("token_superseded");
  });

  it("is marked idempotent: the same arguments again write nothing", async () => {
    const session = await createSession();
    const call = { resume_token: session.token, ...args };
    await succeed(name, call);
    const rows = await rowsWrittenBy(session, () => mcp.call(name, call));

    expect(rows).toBe(0);
    const { annotations } = tools.find((tool) => tool.name === name);
    // Resuming may create a new session, each time another.
    expect(annotations.readOnlyHint).toBe(false);
    expect(annotations.idempotentHint ?? false).toBe(name !== "resume_session");
  });
});

describe.each(Object.entries(TOKEN_SPENDING).filter(([name]) => name !== "resume_session"))(
  "%s with if_version",
  (name, args) => {
    // Shows Q-5.
    it("is refused at another version, unspent, and accepted at this one", async () => {
      const { token, version } = await createSession();
      const call = { resume_token: token, ...args };
      const refused = await fail(name, { ...call, if_version: version + 1 });
      const accepted = await succeed(name, { ...call, if_version: version });

      expect(refused).toMatchObject({ code: "precondition_failed", current: { version } });
      expect(refused.detail).toContain(`if_version names version ${version + 1}`);
      expect(accepted.resume_token).not.toBe(token);
    });
  },
);

describe.each(Object.entries(TOKEN_KEEPING))("%s", (name, argsFor) => {
  // Shows Q-2.
  it("leaves the token unchanged and reports it", async () => {
    const session = await createSession();
    const { token } = session;
    const { expires_at } = await succeed("get_session", { resume_token: token });
    const facts = await succeed(name, { resume_token: token, ...argsFor(session) });
    const after = await succeed("set_fields", { resume_token: token, fields: { still: "good" } });

    expect(facts).toMatchObject({ resume_token: token, expires_at });
    const { resume_token } = after;
    expect((await succeed("get_session", { resume_token })).session.fields).toMatchObject({
      still: "good",
    });
    const { description } = tools.find((tool) => tool.name === name);
    expect(description).toContain("Keeps the token");
  });

  it("distinguishes a fenced token from a bad one", async () => {
    const session = await createSession();
    const { id, token } = session;
    const args = argsFor(session);
    await succeed("resume_session", { resume_token: token });
    const stale = await fail(name, { resume_token: token, ...args });
    const bad = await fail(name, { resume_token: withWrongSecret(token), ...args });

    expect(stale).toMatchObject({ code: "token_superseded", sessionId: id });
    expect(JSON.stringify(stale)).not.toContain("rtok_");
    expect(bad.code).toBe("token_invalid");
    expect(bad).not.toHaveProperty("sessionId");
  });

  it("is marked read-only exactly if it writes nothing", async () => {
    const session = await createSession();
    const rows = await rowsWrittenBy(session, () =>
      succeed(name, { resume_token: session.token, ...argsFor(session) }),
    );

    const { annotations } = tools.find((tool) => tool.name === name);
    expect(annotations.readOnlyHint).toBe(rows === 0);
  });
});

describe.each(["append_events", "report_stop", "submit_job"])("%s", (name) => {
  // Shows Q-4.
  it("happens once for one key, and twice without", async () => {
    const session = await createSession();
    const { token } = session;
    const call = { resume_token: token, ...TOKEN_KEEPING[name]?.(session) };
    const keyed = { ...call, idempotency_key: crypto.randomUUID() };
    const first = await succeed(name, keyed);
    const repeated = await succeed(name, keyed);
    const head = async () =>
      (await succeed("get_session", { resume_token: token })).session.head as number;

    expect(repeated).toEqual(first);
    const before = await head();
    await succeed(name, call);
    await succeed(name, call);
    expect(await head()).toBe(before + 2);
    const { annotations } = tools.find((tool) => tool.name === name);
    expect(annotations.idempotentHint ?? false).toBe(false);
  });
});

describe("create_session", () => {
  it("finds its session again by the key", async () => {
    const call = { title: "Once", idempotency_key: randomKey() };
    const first = await succeed("create_session", call);
    const repeated = await succeed("create_session", call);
    const other = await fail("create_session", { ...call, title: "Twice" });

    expect(repeated).toEqual(first);
    expect(other.code).toBe("idempotency_mismatch");
  });

  it("is not marked idempotent, because it creates another session each time", async () => {
    const [one, two] = [await createSession(), await createSession()];
    expect(one.id).not.toBe(two.id);
    const { annotations } = tools.find((tool) => tool.name === "create_session");
    expect(annotations.readOnlyHint).toBe(false);
    expect(annotations.idempotentHint ?? false).toBe(false);
  });
});

it("only tools that end a session or a job, or may shorten its TTL, are marked destructive", () => {
  const destructive = tools.filter(({ annotations }) => annotations.destructiveHint);
  expect(destructive.map(({ name }) => name).sort()).toEqual([
    "cancel_job",
    "cancel_session",
    "extend_session",
    "finalize_session",
    "fork_session",
    "review_session",
    "revoke_participant",
  ]);
});

it("shows the whole session, as over HTTP", async () => {
  const { id, token } = await createSession();
  const { session } = await succeed("get_session", { resume_token: token, session_id: id });
  const { body } = await client.on({ id }, "GET", "", { token });

  expect(session).toEqual(body.session);
});

it("no response is stored by a cache", async () => {
  const { token } = await createSession();
  const args = { name: "get_session", arguments: { resume_token: token } };
  const { headers } = await mcp.request("tools/call", args);

  expect(headers.get("Cache-Control")).toBe("no-store");
});
