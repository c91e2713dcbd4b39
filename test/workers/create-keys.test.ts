import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { randomKey, type Answer, type Client } from "../support/client";
import { callerFrom, inOneWindow, publicAddress, sendFrom } from "../support/caller";
import { greetArcp } from "../support/greet-arcp";
import { RawMcp } from "../support/mcp";
import { objectCount } from "../support/worker";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const KEYS = { ada: randomKey(), adaLater: randomKey(), bob: randomKey() };
const CREATE_KEYS = JSON.stringify([
  { name: "ada", keyHash: sha256(KEYS.ada) },
  { name: "ada", keyHash: sha256(KEYS.adaLater).toUpperCase() },
  { name: "bob", keyHash: sha256(KEYS.bob) },
]);
const keyed = (key?: string): Client =>
  callerFrom(null, { CREATE_KEYS }, key === undefined ? {} : { "Baton-Create-Key": key });
const create = (client: Client, options = {}): Promise<Answer> =>
  client.call("POST", "/sessions", { body: {}, ...options });
const page = (changes: object): Promise<Answer> => callerFrom(null, changes).call("GET", "/");
const mcp = (headers: Readonly<Record<string, string>>): RawMcp =>
  new RawMcp(sendFrom(headers, { CREATE_KEYS }), "http://localhost:8787");
const securityOf = async (changes: object): Promise<unknown> => {
  const { body } = await callerFrom(null, changes).call("GET", "/openapi.json");
  return body.paths["/sessions"].post.security;
};

describe("where keys are listed", () => {
  it("a session is begun with one, in its header or as bearer", async () => {
    expect((await create(keyed(KEYS.ada))).status).toBe(201);
    expect((await create(keyed(KEYS.adaLater))).status).toBe(201);
    expect((await create(keyed(), { token: KEYS.bob })).status).toBe(201);
  });

  it.each([
    ["none", undefined, 401, "credential_missing"],
    ["an empty one", "", 401, "credential_missing"],
    ["a wrong one", "not-a-key-of-this-server", 403, "token_invalid"],
    ["a key's hash", sha256(KEYS.ada), 403, "token_invalid"],
  ] as const)(
    "with %s nothing is begun, and the body is not read",
    async (_, key, status, code) => {
      const before = await objectCount();
      for (const body of [{}, { titel: "malformed" }, "{"]) {
        const answer = await create(keyed(key), { body });
        expect([answer.status, answer.body.code]).toEqual([status, code]);
        expect(answer.body.title).toMatch(/key/i);
        expect(answer.headers.get("WWW-Authenticate")).toContain("Bearer");
      }
      expect(await objectCount()).toBe(before);
    },
  );

  it("the same Idempotency-Key finds each creator's own session, by any key of that creator", async () => {
    const idempotency = { key: randomKey() };
    const [ada, again, bob] = await Promise.all([
      create(keyed(KEYS.ada), idempotency),
      create(keyed(KEYS.adaLater), idempotency),
      create(keyed(KEYS.bob), idempotency),
    ]);
    expect(again.body.session.id).toBe(ada.body.session.id);
    expect(again.body.resumeToken).toBe(ada.body.resumeToken);
    expect(bob.body.session.id).not.toBe(ada.body.session.id);
    const open = await create(callerFrom(null), idempotency);
    expect(open.body.session.id).not.toBe(ada.body.session.id);
  });

  it("all else goes on without one: a token is enough, for a fork too", async () => {
    const session = await keyed(KEYS.ada).begin();
    const client = keyed();
    const { token } = session;
    const resumed = await client.on(session, "POST", "/resume", { token, body: {} });
    expect(resumed.status).toBe(200);
    const forking = { token: resumed.body.resumeToken, body: {} };
    expect((await client.on(session, "POST", "/fork", forking)).status).toBe(201);
  });

  it("a resume begins fresh only with one", async () => {
    const fresh = { token: "rtok_none", body: { onInvalid: "fresh" } };
    const session = await keyed(KEYS.ada).begin();
    const resume = (client: Client) => client.on(session, "POST", "/resume", fresh);
    expect((await resume(keyed())).body).toMatchObject({ status: 401, code: "credential_missing" });
    expect((await resume(keyed(KEYS.bob))).body).toMatchObject({ outcome: "fresh" });
  });

  it("MCP begins with one in the headers of its request", async () => {
    const without = await mcp({}).call("create_session", {});
    expect(without.facts.code).toBe("credential_missing");
    expect(without.text).toContain("key");
    const bearer = { Authorization: `Bearer ${KEYS.ada}` };
    expect((await mcp(bearer).call("create_session", {})).isError).toBe(false);
  });

  it("ARCP begins with one as the hello's bearer", async () => {
    const send = sendFrom({}, { CREATE_KEYS });
    const hello = (token: string) => greetArcp(send, { auth: { scheme: "bearer", token } });
    expect((await hello(KEYS.ada)).type).toBe("session.welcome");
    const refused = await hello("somebody");
    expect([refused.type, refused.payload.code]).toEqual(["session.error", "UNAUTHENTICATED"]);
  });

  it("the front page offers no try-out", async () => {
    expect((await page({ CREATE_KEYS })).text).toContain("Baton-Create-Key");
    expect((await page({ CREATE_KEYS })).text).not.toContain('id="begin"');
    expect((await page({})).text).toContain('id="begin"');
  });

  it("the API description asks for one, and that of an open server for none", async () => {
    expect(await securityOf({ CREATE_KEYS })).toEqual([{ createKey: [] }]);
    expect(await securityOf({ CREATE_KEYS: "" })).toEqual([]);
  });

  it("wrong keys are limited as wrong tokens are", async () => {
    await inOneWindow(async () => {
      const from = { "Baton-Create-Key": "wrong" };
      const address = publicAddress();
      const client = callerFrom(address, { CREATE_KEYS }, from);
      for (let n = 0; n < 60; n += 1) expect((await create(client)).status).toBe(403);
      const over = await create(client);
      expect([over.status, over.body.code]).toEqual([429, "rate_limited"]);
      const right = callerFrom(address, { CREATE_KEYS }, { "Baton-Create-Key": KEYS.ada });
      expect((await create(right)).status).toBe(429);
    });
  });

  it.each(["[]", "not JSON", '[{"name": "ada"}]', '[{"name": "", "keyHash": "00"}]'])(
    "a list that is none (%s) lets nobody begin",
    async (list) => {
      const client = callerFrom(null, { CREATE_KEYS: list }, { "Baton-Create-Key": KEYS.ada });
      expect([403, 500]).toContain((await create(client)).status);
    },
  );
});

it("where none are listed everybody begins, whatever they send", async () => {
  const client = callerFrom(null, { CREATE_KEYS: "" }, { "Baton-Create-Key": "anything" });
  expect((await create(client)).status).toBe(201);
  expect((await create(callerFrom(null), { token: "anything" })).status).toBe(201);
});
