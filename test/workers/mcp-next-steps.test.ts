/** What responses tell a model to do next if a person or a repeated call is involved. */
import { describe, expect, it } from "vitest";
import { sendFrom } from "../support/caller";
import { randomKey } from "../support/client";
import { RawMcp, type Facts } from "../support/mcp";
import { mcp } from "../support/mcp-worker";
import { createOwner } from "../support/test-owner";
import { person } from "../support/links";
import { client } from "../support/worker";

const TRIP = { schema: { properties: { city: { type: "string" } } } };
const ANSWER = { "f/city": "Porto" };

const nextIn = (text: string): Facts =>
  JSON.parse(/wait_for with (\{.*?\})/.exec(text)?.[1] ?? "null");

/** A link for a person, with the call that the response recommends next. */
async function createLink(): Promise<{ token: string; code: string; next: Facts }> {
  const { facts } = await mcp.call("create_session", TRIP);
  const { resume_token } = facts;
  const handedOff = await mcp.call("handoff_to_human", { resume_token, scopes: ["fill"] });
  return {
    token: handedOff.facts.resume_token,
    code: handedOff.facts.code,
    next: nextIn(handedOff.text),
  };
}

async function press(code: string, action: string, inputs: Readonly<Record<string, string>>) {
  const linkHolder = person();
  const { html } = await linkHolder.open(code);
  expect((await linkHolder.press(code, html, action, inputs)).status).toBe(200);
}

const ENDS: readonly (readonly [string, string, Readonly<Record<string, string>>, string])[] = [
  ["handoff.answered", "submit", ANSWER, '"answer":"submitted"'],
  ["handoff.declined", "decline", { declining: "Ask Bo" }, '"reason":"Ask Bo"'],
  ["handoff.answered", "handBack", { message: "Over to you" }, '"message":"Over to you"'],
];

describe.each(ENDS)("%s", (type, action, inputs, described) => {
  it("ends the wait that handoff_to_human recommends, and the sentence describes the outcome", async () => {
    const { token, code, next } = await createLink();
    expect(next.types).toContain(type);
    await press(code, action, inputs);
    const found = await mcp.call("wait_for", { resume_token: token, ...next });

    expect(found.facts.event).toMatchObject({ type });
    expect(found.text).toContain(`${type} at ${found.facts.event.seq}: {`);
    expect(found.text).toContain(described);
    expect(found.text).toContain("call resume_session");
  });

  it("also ends a wait for the answer, and one without types", async () => {
    const { token, code } = await createLink();
    await press(code, action, inputs);
    for (const types of [["handoff.answered"], undefined]) {
      const found = await mcp.call("wait_for", { resume_token: token, types });
      expect(found.facts.event).toMatchObject({ type });
    }
  });
});

describe("wait_for", () => {
  it("after a second link does not find the end of the first", async () => {
    const { token, code } = await createLink();
    await press(code, "decline", { declining: "Ask Bo" });
    const { facts } = await mcp.call("resume_session", { resume_token: token });
    const repeated = await mcp.call("handoff_to_human", {
      resume_token: facts.resume_token,
      scopes: ["fill"],
    });
    const { resume_token } = repeated.facts;
    const next = { ...nextIn(repeated.text), timeout_ms: 50 };
    const none = await mcp.call("wait_for", { resume_token, ...next });

    expect(none.facts.event).toBeNull();
    expect(none.text).toContain(`call wait_for again with after: ${none.facts.next_after}.`);
  });

  it("as a repeated handoff_to_human recommends it finds an earlier answer", async () => {
    const { facts } = await mcp.call("create_session", TRIP);
    const { resume_token } = facts;
    const call = { resume_token, scopes: ["fill"], idempotency_key: randomKey() };
    const first = await mcp.call("handoff_to_human", call);
    await press(first.facts.code, "submit", ANSWER);
    const repeated = await mcp.call("handoff_to_human", call);
    const found = await mcp.call("wait_for", {
      resume_token: repeated.facts.resume_token,
      ...nextIn(repeated.text),
    });
    expect(found.facts.event).toMatchObject({ type: "handoff.answered" });
  });

  it("for another type finds no end of a handoff", async () => {
    const { token, code } = await createLink();
    await press(code, "decline", { declining: "Ask Bo" });
    const request = { resume_token: token, types: ["agent.done"], timeout_ms: 50 };
    expect((await mcp.call("wait_for", request)).facts.event).toBeNull();
  });

  it("shortens a long message in the sentence, and has the full text in the event", async () => {
    const { token, code } = await createLink();
    const message = "x".repeat(2_000);
    await press(code, "handBack", { message });
    const found = await mcp.call("wait_for", { resume_token: token });
    expect(found.facts.event.payload).toMatchObject({ answer: "handed_back", message });
    expect(found.text.length).toBeLessThan(800);
  });
});

describe("without a token", () => {
  it.each(["resume_session", "get_session", "set_fields", "wait_for"])(
    "%s explains where to get one, and does not advise a new session",
    async (name) => {
      const { isError, text, facts } = await mcp.call(name, {});
      expect([isError, facts.code, facts.at]).toEqual([true, "invalid_request", "resume_token"]);
      expect(text).toContain("ask the user for it");
      expect(text).toMatch(/list_sessions and call open_session/);
      expect(text).toContain("create_session is only for new work");
    },
  );
});

describe("the sentence", () => {
  it("of a repeated create_session warns that its token may be spent", async () => {
    const call = { title: "Once", idempotency_key: randomKey() };
    const first = await mcp.call("create_session", call);
    const repeated = await mcp.call("create_session", call);

    expect(first.text).toMatch(/^Created\./);
    expect(repeated.text).not.toContain("Created");
    expect(repeated.text).toContain("repeats an earlier call");
    expect(repeated.text).toContain("use the newest");
  });

  it("of a fresh session calls no token spent", async () => {
    const { text, facts } = await mcp.call("resume_session", { resume_token: "cut" });
    expect(facts.outcome).toBe("fresh");
    expect(text).not.toContain("spent");
  });

  it("of a spent token names the tool and the session", async () => {
    const { id, token } = await client.create();
    await mcp.call("resume_session", { resume_token: token });
    const { text, facts } = await mcp.call("get_session", { resume_token: token });
    expect(facts.code).toBe("token_superseded");
    expect(text).toContain(`call open_session with session_id ${id}, if`);
  });

  it("of a malformed call is complete before the argument is named", async () => {
    const { token } = await client.create();
    const call = { resume_token: token, if_version: "1" };
    const { text } = await mcp.call("submit", call);
    expect(text).toMatch(/must be a number, not a string\. Argument: if_version\. /);
  });

  it("uses the singular for one session", async () => {
    const { settings, key, create } = createOwner();
    const owned = new RawMcp(
      sendFrom({ Authorization: `Bearer ${key}` }, settings),
      "http://localhost:8787",
    );
    await create({ title: "Oak" });
    await expect
      .poll(async () => (await owned.call("list_sessions", {})).text)
      .toMatch(/^1 session\./);
  });
});

const TOWN = { type: "object", required: ["city"], properties: { city: { type: "string" } } };

async function toolNames(): Promise<readonly string[]> {
  const { message } = await mcp.request("tools/list", {});
  return message.result.tools.map(({ name }: Facts) => name);
}

describe("in a state that does not allow it", () => {
  // Shows Q-3.
  it("a tool names the tools that are possible now, and no operation without one", async () => {
    const { facts } = await mcp.call("create_session", {});
    const { resume_token } = (await mcp.call("submit", { resume_token: facts.resume_token })).facts;
    const refused = await mcp.call("set_fields", { resume_token, fields: { city: "Porto" } });

    expect(refused.facts).toMatchObject({ code: "illegal_transition", operation: "set_fields" });
    expect(refused.text).toContain("set_fields is not possible in state submitted.");
    expect(refused.text).toContain(`Possible now: ${refused.facts.allowed.join(", ")}.`);
    expect(await toolNames()).toEqual(expect.arrayContaining(refused.facts.allowed));
    expect(refused.facts.allowed).toEqual(
      expect.arrayContaining(["finalize_session", "handoff_to_human", "cancel_session"]),
    );
    expect(refused.facts.allowed).not.toContain("submit");
    expect(new Set(refused.facts.allowed).size).toBe(refused.facts.allowed.length);
  });

  // Shows Q-12.
  it("validate reports that submit is not possible, and why", async () => {
    const { facts } = await mcp.call("create_session", { schema: TOWN, fields: { city: "Porto" } });
    const before = await mcp.call("validate", { resume_token: facts.resume_token });
    const lacking = await mcp.call("validate", {
      resume_token: facts.resume_token,
      fields: { city: null },
    });
    const { resume_token } = (await mcp.call("submit", { resume_token: facts.resume_token })).facts;
    const after = await mcp.call("validate", { resume_token });

    expect(before.facts).toMatchObject({ valid: true, can_submit: true });
    expect(before.text).toContain("It can be submitted.");
    expect(lacking.facts).toMatchObject({ valid: false, can_submit: false });
    expect(after.facts).toMatchObject({ valid: true, can_submit: false });
    expect(after.text).toMatch(
      /submit is not possible in state submitted\. Possible now: .*finalize/,
    );
    expect(after.text).not.toContain("It can be submitted");
  });
});

describe("a name outside the schema", () => {
  // Shows Q-11.
  it("is saved by set_fields with a warning that names it", async () => {
    const { facts } = await mcp.call("create_session", { schema: TOWN });
    const { resume_token } = facts;
    const fields = { city: "Porto", citty: "Porto", gone: null };
    const saved = await mcp.call("set_fields", { resume_token, fields });

    expect(saved.isError).toBe(false);
    expect(saved.facts.unknown_fields).toEqual(["citty"]);
    expect(saved.text).toContain('Warning: the schema has no property "citty". It has: city.');
    const read = await mcp.call("get_session", { resume_token: saved.facts.resume_token });
    expect(read.facts.session.fields).toEqual({ city: "Porto", citty: "Porto" });
  });

  it("causes a warning if a person is asked for it, and if a session is created with it", async () => {
    const created = await mcp.call("create_session", { schema: TOWN, fields: { town: "Porto" } });
    const { resume_token } = created.facts;
    const call = { resume_token, scopes: ["fill"], ask: ["citty", "city"], show: ["contry"] };
    const linked = await mcp.call("handoff_to_human", call);

    expect(created.facts.unknown_fields).toEqual(["town"]);
    expect(linked.facts.unknown_fields).toEqual(["citty", "contry"]);
    expect(linked.text).toContain('Warning: the schema has no property "citty", "contry".');
  });

  it.each([
    ["there is no schema", undefined],
    ["the schema names no property", { type: "object" }],
    ["other names have a schema too", { ...TOWN, additionalProperties: { type: "string" } }],
    ["names may follow a pattern", { ...TOWN, patternProperties: { "^b": { type: "string" } } }],
    ["a part of the schema names it", { ...TOWN, allOf: [{ properties: { boat: true } }] }],
  ])("causes no warning if %s", async (_, schema) => {
    const { facts } = await mcp.call("create_session", { schema });
    const { resume_token } = facts;
    const saved = await mcp.call("set_fields", { resume_token, fields: { boat: "red" } });
    expect(saved.isError, saved.text).toBe(false);
    expect(saved.facts).not.toHaveProperty("unknown_fields");
    expect(saved.text).not.toContain("Warning");
  });
});

// Shows Q-3.
it("only responses that create or show a session contain its schema", async () => {
  const long = { ...TOWN, description: "A long description. ".repeat(300) };
  const created = await mcp.call("create_session", { schema: long, fields: { city: "Porto" } });
  let { resume_token } = created.facts;
  expect(created.facts.session.schema).toEqual(long);
  const small = async (name: string, args: object) => {
    const { message } = await mcp.request("tools/call", {
      name,
      arguments: { resume_token, ...args },
    });
    expect(JSON.stringify(message.result), name).not.toContain("A long description");
    resume_token = message.result.structuredContent?.resume_token ?? resume_token;
  };
  await small("validate", {});
  await small("set_fields", { fields: { city: "Faro" } });
  await small("set_fields", { fields: { city: "Faro" }, if_version: 999 });
  await small("handoff_to_human", { scopes: ["fill"] });
  await small("fork_session", {});
  await small("submit", {});
  await small("set_fields", { fields: { city: "Faro" } });
  const shown = await mcp.call("get_session", { resume_token });
  expect(shown.facts.session.schema).toEqual(long);
  const resumed = await mcp.call("resume_session", { resume_token });
  expect(resumed.facts.session.schema).toEqual(long);
});

it("no tool has an argument for the kind of an actor: the server sets it", async () => {
  const { message } = await mcp.request("tools/list", {});
  const shown = message.result.tools
    .map(({ inputSchema }: Facts) => inputSchema.properties.actor)
    .filter((actor: Facts) => actor !== undefined);
  expect(shown.length).toBeGreaterThan(2);
  for (const actor of shown) expect(Object.keys(actor.properties)).toEqual(["id", "name"]);
});
