/** Ended sessions, and spent or truncated tokens: what the response tells a model to do next. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { sendFrom } from "../support/caller";
import { RawMcp } from "../support/mcp";
import { mcp } from "../support/mcp-worker";
import { createOwner } from "../support/test-owner";
import { client } from "../support/worker";

afterEach(() => {
  vi.useRealTimers();
});

function keyed(): RawMcp {
  const { settings, key } = createOwner();
  return new RawMcp(
    sendFrom({ Authorization: `Bearer ${key}` }, settings),
    "http://localhost:8787",
  );
}

async function createFinished(from: RawMcp, external_id: string) {
  const created = await from.call("open_session", { external_id, create: true, title: "Done" });
  const set = await from.call("set_fields", {
    resume_token: created.facts.resume_token,
    fields: { city: "Porto" },
  });
  const sent = await from.call("submit", { resume_token: set.facts.resume_token });
  const { resume_token } = sent.facts;
  const done = await from.call("finalize_session", { resume_token });
  return { id: created.facts.session.id as string, token: done.facts.resume_token as string };
}

describe("a finished session", () => {
  it("is reported as finished by open_session, and get_session reads it with the key", async () => {
    const from = keyed();
    const { id } = await createFinished(from, "claim-1");
    const byId = await from.call("open_session", { session_id: id });
    const byName = await from.call("open_session", { external_id: "claim-1" });

    for (const { isError, text } of [byId, byName]) {
      expect(isError).toBe(true);
      expect(text).toContain(`Read it with get_session {"session_id":"${id}"}`);
      expect(text).not.toMatch(/begin another/i);
    }
    expect(byId.text).toContain("finalized");
    const read = await from.call("get_session", { session_id: id });
    expect(read.isError, read.text).toBe(false);
    expect(read.facts.session).toMatchObject({ state: "finalized", fields: { city: "Porto" } });
    expect(read.facts).not.toHaveProperty("resume_token");
    const log = await from.call("read_events", { session_id: id, types: ["session.finalized"] });
    expect(log.facts.events).toHaveLength(1);
  });

  it("is read by no other owner's key, and without a key the error names the missing one", async () => {
    const { id } = await createFinished(keyed(), "claim-1");
    expect((await keyed().call("get_session", { session_id: id })).facts.code).toBe(
      "token_invalid",
    );
    const none = await mcp.call("get_session", { session_id: id });
    expect(none.facts.code).toBe("credential_missing");
  });

  it("is reported as finished by resume_session too, with what can be read first", async () => {
    const { token } = await createFinished(keyed(), "claim-1");
    const { text } = await mcp.call("resume_session", { resume_token: token });
    expect(text).toMatch(/finalized.*Read it with get_session.*fork_session/);
  });

  it("is not replaced by its id: on_ended needs external_id", async () => {
    const from = keyed();
    const { id } = await createFinished(from, "claim-1");
    const refused = await from.call("open_session", { session_id: id, on_ended: "fresh" });
    expect(refused.facts).toMatchObject({ code: "invalid_request", at: "on_ended" });
    expect(refused.text).toContain("external_id");
  });
});

describe("a spent token", () => {
  const CALLS: readonly (readonly [string, object])[] = [
    ["get_session", {}],
    ["read_events", {}],
    ["append_events", { events: [{ type: "agent.note", payload: {} }] }],
    ["wait_for", { types: ["session.created"], after: 0 }],
    ["report_stop", { reason: "crash", attempt: 1 }],
    ["validate", {}],
    ["submit_job", { agent: "translator" }],
  ];

  it.each(CALLS)("is named by %s, and not returned as the one to use", async (name, args) => {
    const { facts } = await mcp.call("create_session", { title: "Spent" });
    const { resume_token } = facts;
    await mcp.call("set_fields", { resume_token, fields: { city: "Porto" } });
    const { isError, text, facts: reported } = await mcp.call(name, { resume_token, ...args });

    expect(isError, text).toBe(false);
    expect(text).toContain("is not your newest");
    expect(text).not.toContain("unchanged");
    expect(reported).toMatchObject({ token_spent: true });
    expect(reported).not.toHaveProperty("resume_token");
  });

  it.each(CALLS)("is not reported by %s if it is the newest", async (name, args) => {
    const { facts } = await mcp.call("create_session", { title: "Good" });
    const { resume_token } = facts;
    const { text, facts: reported } = await mcp.call(name, { resume_token, ...args });
    expect(text).toContain("Your resume_token is unchanged.");
    expect(reported.resume_token).toBe(resume_token);
    expect(reported).not.toHaveProperty("token_spent");
  });

  it("gets the same next steps from check_session as from resume_session", async () => {
    const { id, token } = await client.create();
    await mcp.call("set_fields", { resume_token: token, fields: { city: "Porto" } });
    const checked = await mcp.call("check_session", { resume_token: token });
    const refused = await mcp.call("resume_session", { resume_token: token });

    expect(checked.facts).toMatchObject({ resumable: false, reason: "token_superseded" });
    for (const step of refused.facts.nextActions) expect(checked.text).toContain(step);
    expect(checked.text).toContain(`open_session with session_id ${id}`);
  });
});

it("check_session of a paused session reports the pause, not the token", async () => {
  const { token } = await client.create();
  const paused = await mcp.call("pause_session", { resume_token: token });
  const { resume_token } = paused.facts;
  const checked = await mcp.call("check_session", { resume_token, auto: true });
  expect(checked.facts).toMatchObject({ resumable: false, reason: "paused" });
  expect(checked.text).toContain("paused");
  expect(checked.text).not.toContain("with this token");
  const resumed = await mcp.call("resume_session", { resume_token });
  expect(resumed.text).toContain("paused");
});

describe("a truncated token", () => {
  it.each(["get_session", "check_session", "set_fields"])(
    "is reported with its length by %s",
    async (name) => {
      const { token } = await client.create();
      const args = name === "set_fields" ? { fields: { a: 1 } } : {};
      const cut = { resume_token: token.slice(0, 60), ...args };
      const { text, facts } = await mcp.call(name, cut);
      expect(facts).toMatchObject({ code: "token_invalid", at: "resume_token" });
      expect(text).toContain(`it has 60 characters instead of ${token.length}`);
      expect(text).toMatch(/list_sessions.*open_session/);
    },
  );
});

it("a session that expired or is gone is not reported as recoverable", async () => {
  const gone = await client.create();
  await client.on(gone, "DELETE", "", { token: gone.token });
  const purged = await mcp.call("resume_session", { resume_token: gone.token });
  const old = await client.create();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 8 * 24 * 60 * 60 * 1000 });
  const expired = await mcp.call("resume_session", { resume_token: old.token });
  for (const { text, facts } of [purged, expired]) {
    expect(facts.outcome).toBe("fresh");
    expect(text).toMatch(/^WARNING/);
    expect(text).toContain("cannot be recovered");
    expect(text).not.toContain("open_session");
  }
});

describe("a refusal", () => {
  const schema = { type: "object", required: ["city"], properties: { city: { type: "string" } } };

  it("of an unknown argument names it, and the known ones", async () => {
    const { token } = await client.create();
    const { facts, text } = await mcp.call("set_fields", { resume_token: token, titel: "Trip" });
    expect(facts).toMatchObject({ code: "invalid_request", at: "titel" });
    expect(text).toMatch(/set_fields has no argument "titel"\. It has: .*title/);
    expect(text).not.toMatch(/body|member/);
  });

  it("of fields names them in its first line", async () => {
    const { token } = await client.create({ schema });
    const wrong = await mcp.call("set_fields", { resume_token: token, fields: { city: 7 } });
    const missing = await mcp.call("submit", { resume_token: token });
    expect(wrong.text).toMatch(/^invalid_fields: Nothing was saved\. city must be/);
    expect(missing.text).toMatch(/^missing_fields: Nothing was changed\. city /);
  });

  it.each([
    ["get_job", { job_id: "job_x" }, "job_id"],
    ["cancel_job", { job_id: "job_x" }, "job_id"],
    ["download_file", { upload: "upl_9" }, "upload"],
    ["reissue_link", { handoff: "hnd_9" }, "handoff"],
    ["revoke_participant", { participant: "par_9" }, "participant"],
    ["fork_session", { from: "chk_9" }, "from"],
    ["read_private", { field: "iban" }, "field"],
  ])(
    "of %s names the invalid argument, and where to find valid values",
    async (...[name, args, at]) => {
      const { token } = await client.create();
      const { facts, text } = await mcp.call(name, { resume_token: token, ...args });
      expect(facts).toMatchObject({ code: "not_found", at });
      expect(text).toMatch(/read_events|get_session/);
    },
  );

  it("of a file without its bytes explains what is still to do", async () => {
    const { token } = await client.create();
    const file = { name: "a.txt", type: "text/plain", size: 5 };
    const requested = await mcp.call("request_upload", { resume_token: token, ...file });
    expect(requested.text).toContain("Content-Type");
    const { resume_token, upload } = requested.facts;
    const { text } = await mcp.call("download_file", { resume_token, upload: upload.id });
    expect(text).toContain("not confirmed yet");
  });

  it("of a write that lost a race does not advise if_version if the state forbids the write", async () => {
    const session = await client.create();
    const handedOff = await mcp.call("handoff_to_agent", {
      resume_token: session.token,
      scopes: ["fill"],
    });
    await mcp.call("submit", { resume_token: handedOff.facts.resume_token });
    const late = await mcp.call("set_fields", {
      resume_token: handedOff.facts.participant_token,
      fields: { city: "Porto" },
    });
    expect(late.facts.code).toBe("version_conflict");
    expect(late.text).toContain("set_fields is not possible in state submitted any more");
    expect(late.text).not.toContain("if_version");
  });
});

it("report_stop of completed work does not report the session as ended", async () => {
  const { token } = await client.create();
  const { text } = await mcp.call("report_stop", { resume_token: token, reason: "completed" });
  expect(text).toContain("The session stays open: submit it if it is not submitted yet");
});
