import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits";
import { SERVER_NAMESPACES } from "../../src/domain/log/event";
import { withWrongSecret, type Facts, type RpcAnswer } from "../support/mcp";
import { mcp } from "../support/mcp-worker";
import { client, objectCount, rowsWrittenBy } from "../support/worker";

const HTTP_TERMS =
  /If-Match|Idempotency-Key|Retry-After|Authorization|\b(?:GET|POST|PATCH) |header/;

/** A call as text, because some requests cannot be written as a value. */
const callText = (name: string, args: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":${args}}}`;

const nested = (depth: number): string => '{"a":'.repeat(depth) + "1" + "}".repeat(depth);

/** The reason, whichever of the two kinds of error it is. */
function reasonIn({ message, text }: RpcAnswer): string {
  const { error, result } = message ?? {};
  expect(error !== undefined || result?.isError === true, text).toBe(true);
  return error?.message ?? result.content[0].text;
}

describe("a call", () => {
  const cases: readonly (readonly [string, string, (token: string) => string, RegExp])[] = [
    ["no token", "set_fields", () => `{"fields":{"a":1}}`, /resume_token/],
    [
      "a token that is a number",
      "set_fields",
      () => `{"resume_token":7}`,
      /"resume_token" must be a string/,
    ],
    [
      "a token that is half a surrogate pair",
      "get_session",
      () => `{"resume_token":"\\ud800"}`,
      /token_invalid/,
    ],
    [
      "an unknown argument",
      "submit",
      (token) => `{"resume_token":"${token}","force":true}`,
      /force/,
    ],
    [
      "fields that are a list",
      "set_fields",
      (token) => `{"resume_token":"${token}","fields":[1]}`,
      /must be an object/,
    ],
    [
      "nothing to set",
      "set_fields",
      (token) => `{"resume_token":"${token}","fields":{}}`,
      /at least one of fields, title and next_step/,
    ],
    [
      "a version that is text",
      "submit",
      (token) => `{"resume_token":"${token}","if_version":"1"}`,
      /must be a number/,
    ],
    [
      "an empty key",
      "submit",
      (token) => `{"resume_token":"${token}","idempotency_key":""}`,
      /invalid_request/,
    ],
    [
      "a key called __proto__",
      "set_fields",
      (token) => `{"resume_token":"${token}","fields":{"a":1,"__proto__":{"b":2}}}`,
      /__proto__/,
    ],
    [
      "__proto__ among the arguments",
      "set_fields",
      (token) => `{"resume_token":"${token}","fields":{"a":1},"__proto__":{"b":2}}`,
      /__proto__/,
    ],
    [
      "half a surrogate pair in a value",
      "set_fields",
      (token) => `{"resume_token":"${token}","fields":{"a":"\\udc00"}}`,
      /surrogate/,
    ],
    [
      "half a surrogate pair in a name",
      "set_fields",
      (token) => `{"resume_token":"${token}","fields":{"\\ud800":1}}`,
      /surrogate/,
    ],
    [
      "a number that is too large",
      "set_fields",
      (token) => `{"resume_token":"${token}","fields":{"a":1e999}}`,
      /too large/,
    ],
    [
      "33 levels",
      "set_fields",
      (token) => `{"resume_token":"${token}","fields":${nested(33)}}`,
      /nested deeper/,
    ],
    [
      "20,000 levels",
      "set_fields",
      (token) => `{"resume_token":"${token}","fields":${nested(20_000)}}`,
      /./,
    ],
    [
      "more than a mebibyte",
      "set_fields",
      (token) => `{"resume_token":"${token}","fields":{"a":"${"x".repeat(1_048_576)}"}}`,
      /large|exceed|limit/i,
    ],
    ["arguments that are a list", "get_session", () => "[1]", /arguments/],
    ["arguments that are text", "get_session", () => `"all of it"`, /arguments/],
    ["an unknown tool", "approve", (token) => `{"resume_token":"${token}"}`, /not found/],
    [
      "a tool called constructor",
      "constructor",
      (token) => `{"resume_token":"${token}"}`,
      /not found|disabled/,
    ],
    [
      "a server's own event type",
      "append_events",
      (token) => `{"resume_token":"${token}","events":[{"type":"session.finalized"}]}`,
      /invalid_request/,
    ],
    [
      "no event at all",
      "append_events",
      (token) => `{"resume_token":"${token}","events":[]}`,
      /invalid_request/,
    ],
    [
      "a cursor beyond the head",
      "resume_session",
      (token) => `{"resume_token":"${token}","last_event_seq":999}`,
      /last_event_seq is 999/,
    ],
    [
      "two tokens that differ",
      "resume_session",
      (token) => `{"resume_token":"${token}","resumeToken":"${token}x"}`,
      /differ/,
    ],
    [
      "a TTL beyond the longest",
      "extend_session",
      (token) => `{"resume_token":"${token}","ttl_ms":9007199254740991}`,
      /ttl_ms/,
    ],
    [
      "a malformed checkpoint id",
      "fork_session",
      (token) => `{"resume_token":"${token}","from":"chk_no"}`,
      /checkpoint/,
    ],
  ];

  // Shows Q-7.
  it.each(cases)(
    "with %s is refused with a reason and changes nothing",
    async (_, name, args, reason) => {
      const session = await client.create();
      const objects = await objectCount();
      let answer!: RpcAnswer;
      const rows = await rowsWrittenBy(session, async () => {
        answer = await mcp.post(callText(name, args(session.token)));
      });

      expect(answer.status, answer.text).toBeLessThan(500);
      expect(reasonIn(answer)).toMatch(reason);
      expect(reasonIn(answer)).not.toMatch(HTTP_TERMS);
      expect(answer.text).not.toContain(session.token);
      expect(rows).toBe(0);
      expect(await objectCount()).toBe(objects);
      const after = await client.on(session, "GET", "", { token: session.token });
      expect(after.body.session).toEqual(session.answer.body.session);
    },
  );

  // Shows E-4.
  it("that appends in a namespace of the server's is refused, for each of them", async () => {
    const { token } = await client.create();
    for (const namespace of SERVER_NAMESPACES) {
      const events = [{ type: `${namespace}.forged` }];
      const { facts } = await mcp.call("append_events", { resume_token: token, events });
      expect([facts.code, facts.at], namespace).toEqual(["invalid_request", "events[0].type"]);
    }
  });

  // Shows LE-8.
  it("that names a lease is refused unless that lease is held", async () => {
    const session = await client.create();
    const { token } = session;
    const body = { ttlMs: 60_000 };
    const { lease } = (await client.on(session, "POST", "/leases/worker", { token, body })).body;
    const held = `worker=${lease.number}`;
    const events = [{ type: "agent.step" }];
    const appended = await mcp.call("append_events", { resume_token: token, events, lease: held });
    expect(appended.facts.code).toBeUndefined();
    for (const [tool, args] of [
      ["append_events", { events }],
      ["set_fields", { fields: { a: 1 } }],
      ["report_stop", { reason: "crash" }],
    ] as const) {
      const lost = { resume_token: token, ...args, lease: `worker=${lease.number + 1}` };
      expect((await mcp.call(tool, lost)).facts.code, tool).toBe("lease_lost");
    }
    const malformed = { resume_token: token, events, lease: "worker" };
    expect((await mcp.call("append_events", malformed)).facts.at).toBe("lease");
    const set = { resume_token: token, fields: { a: 1 }, lease: held };
    expect((await mcp.call("set_fields", set)).facts.resume_token).not.toBe(token);
  });

  it("with a bad token gets that error before any other", async () => {
    const { token } = await client.create();
    const wrong = withWrongSecret(token);
    const { facts } = await mcp.call("set_fields", { resume_token: wrong, fields: "none" });

    expect(facts.code).toBe("token_invalid");
  });

  it.each(["", "{", "null", "7", '"text"', "[]", '{"jsonrpc":"1.0"}'])(
    "that is not one (%j) is an error of the protocol",
    async (body) => {
      const { status, text } = await mcp.post(body);

      expect(status, text).toBeGreaterThanOrEqual(400);
      expect(status, text).toBeLessThan(500);
      expect(JSON.parse(text).error.code).toBeTypeOf("number");
    },
  );
});

describe("a request", () => {
  it.each([
    ["Origin", { Origin: "https://elsewhere.example" }],
    ["Origin that looks like ours", { Origin: "http://localhost.elsewhere.example" }],
    ["Origin that is null", { Origin: "null" }],
    ["Host", { Host: "elsewhere.example" }],
    ["Host that was rebound", { Host: "elsewhere.example:8787" }],
    // Shows Q-1.
  ])("from a foreign %s is 403 and creates nothing", async (_, headers) => {
    const objects = await objectCount();
    const { status } = await mcp.post(callText("create_session", "{}"), headers);

    expect(status).toBe(403);
    expect(await objectCount()).toBe(objects);
  });

  it("from a page of this server is served", async () => {
    const own = { Origin: "http://localhost:8787" };
    const { status } = await mcp.post(callText("create_session", "{}"), own);

    expect(status).toBe(200);
  });
});

describe("a refusal", () => {
  // Shows Q-3.
  it("has no structured content, and describes HTTP's problem in terms of tools", async () => {
    const session = await client.create({ fields: { a: 1 } });
    const body = { to: "agent", scopes: ["fill"] };
    const handedOff = await client.on(session, "POST", "/handoffs", { token: session.token, body });
    const other = handedOff.body.participantToken;
    await client.on(session, "PATCH", "", { token: other, body: { fields: { b: 2 } } });
    const token = handedOff.body.resumeToken;
    const fields = { c: 3 };

    const http = await client.on(session, "PATCH", "", { token, body: { fields } });
    const args = { resume_token: token, fields };
    const { message } = await mcp.request("tools/call", { name: "set_fields", arguments: args });

    const { isError, structuredContent, content } = message.result;
    const problem: Facts = JSON.parse(content[1].text);
    const { nextActions, ...rest } = problem;
    const { nextActions: overHttp, ...restOverHttp } = http.body;
    expect(isError).toBe(true);
    expect(structuredContent).toBeUndefined();
    const { schema: _, ...current } = http.body.current;
    expect(rest).toEqual({ ...restOverHttp, current });
    expect(rest.code).toBe("version_conflict");
    expect(overHttp.join(" ")).toContain(`If-Match: "${rest.current.version}"`);
    expect(nextActions.join(" ")).toContain(`if_version ${rest.current.version}`);
    expect(content[0].text).not.toMatch(HTTP_TERMS);
  });
});

const batch = (count: number) =>
  mcp.post(
    JSON.stringify(
      Array.from({ length: count }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" })),
    ),
  );

it("accepts mcpBatch messages in one request and not one more", async () => {
  const { status, text } = await batch(LIMITS.mcpBatch);
  expect([status, text.match(/"id":/g)]).toEqual([200, Array(LIMITS.mcpBatch).fill('"id":')]);
  expect((await batch(LIMITS.mcpBatch + 1)).status).toBe(400);
});
