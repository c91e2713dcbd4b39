import { describe, expect, it } from "vitest";
import { randomKey, type Answer, type Client } from "../support/client";
import { callerFrom, inOneWindow, publicAddress, sendFrom } from "../support/caller";
import { greetArcp } from "../support/greet-arcp";
import { RawMcp } from "../support/mcp";
import { createOwner } from "../support/test-owner";
import { keyEntry, newKey, ownersText, sha256Hex } from "../support/owners";
import { objectCount } from "../support/worker";

const KEYS = {
  ada: newKey(),
  adaLater: newKey(),
  bob: newKey(),
  ended: newKey(),
  readsOnly: newKey(),
  unshaped: randomKey(),
};
const OWNERS = JSON.stringify([
  {
    name: "ada",
    keys: [
      keyEntry(KEYS.ada),
      keyEntry(KEYS.adaLater, { keyHash: sha256Hex(KEYS.adaLater).toUpperCase() }),
    ],
  },
  {
    name: "bob",
    keys: [
      keyEntry(KEYS.bob, { expiresAt: "2999-01-01T00:00:00Z" }),
      keyEntry(KEYS.ended, { expiresAt: "2026-01-01T00:00:00Z" }),
      keyEntry(KEYS.readsOnly, { rights: ["read"] }),
      keyEntry(KEYS.unshaped),
    ],
  },
]);
const keyed = (key?: string): Client =>
  callerFrom(null, { OWNERS }, key === undefined ? {} : { "Baton-Key": key });
const create = (client: Client, options = {}): Promise<Answer> =>
  client.call("POST", "/sessions", { body: {}, ...options });
const page = (changes: object): Promise<Answer> => callerFrom(null, changes).call("GET", "/");
const mcp = (headers: Readonly<Record<string, string>>): RawMcp =>
  new RawMcp(sendFrom(headers, { OWNERS }), "http://localhost:8787");
const securityOf = async (changes: object): Promise<unknown> => {
  const { body } = await callerFrom(null, changes).call("GET", "/openapi.json");
  return body.paths["/sessions"].post.security;
};

describe("if owners are listed", () => {
  // Shows I-6.
  it("a session is created with a key, in its header or as bearer", async () => {
    expect((await create(keyed(KEYS.ada))).status).toBe(201);
    expect((await create(keyed(KEYS.adaLater))).status).toBe(201);
    expect((await create(keyed(), { token: KEYS.bob })).status).toBe(201);
  });

  it.each([
    ["none", undefined, 401, "credential_missing"],
    ["an empty one", "", 401, "credential_missing"],
    ["a wrong one", newKey(), 403, "token_invalid"],
    ["a key's hash", sha256Hex(KEYS.ada), 403, "token_invalid"],
    ["one that has expired", KEYS.ended, 403, "token_invalid"],
    ["one that is listed and has not the shape of a key", KEYS.unshaped, 403, "token_invalid"],
    ["one without the right", KEYS.readsOnly, 403, "scope_denied"],
    // Shows I-6.
  ] as const)(
    "with %s nothing is created, and the body is not read",
    async (_, key, status, code) => {
      const before = await objectCount();
      for (const body of [{}, { titel: "malformed" }, "{"]) {
        const answer = await create(keyed(key), { body });
        expect([answer.status, answer.body.code]).toEqual([status, code]);
        expect(answer.body.title).toMatch(/key/i);
        if (code !== "scope_denied") {
          expect(answer.headers.get("WWW-Authenticate")).toContain("Bearer");
        }
      }
      expect(await objectCount()).toBe(before);
    },
  );

  // Shows OW-1.
  it("the log of a session and the list name the key that created it, over every face", async () => {
    const owner = createOwner();
    const { name } = keyEntry(owner.key);
    const opening = { body: { externalId: "oak", create: true } };
    const opened = (await owner.call("POST", "/sessions/open", opening)).body;
    const auth = { scheme: "bearer", token: owner.key };
    const { payload } = await greetArcp(sendFrom({}, owner.settings), { auth });
    const sessions = [
      await owner.create({ externalId: "elm" }),
      { id: opened.session.id, token: opened.resumeToken },
      { id: payload.session_id, token: payload.resume_token },
    ];
    for (const { id, token } of sessions) {
      const { body } = await owner.client.call("GET", `/sessions/${id}/events?after=0`, { token });
      expect(body.events[0]).toMatchObject({
        type: "session.created",
        payload: { belongs: { owner: owner.name, key: name } },
      });
      await expect.poll(() => owner.row(id)).toMatchObject({ key: name });
    }
    const [parent] = sessions;
    const forked = await owner.client.call("POST", `/sessions/${parent?.id}/fork`, {
      token: parent?.token as string,
      body: {},
    });
    await expect.poll(() => owner.row(forked.body.child.id)).toBeDefined();
    expect(await owner.row(forked.body.child.id)).not.toHaveProperty("key");
  });

  // Shows I-7.
  it("the same Idempotency-Key finds each owner's own session, by any key of that owner", async () => {
    const idempotency = { key: randomKey() };
    const [ada, repeated, bob] = await Promise.all([
      create(keyed(KEYS.ada), idempotency),
      create(keyed(KEYS.adaLater), idempotency),
      create(keyed(KEYS.bob), idempotency),
    ]);
    expect(repeated.body.session.id).toBe(ada.body.session.id);
    expect(repeated.body.resumeToken).toBe(ada.body.resumeToken);
    expect(bob.body.session.id).not.toBe(ada.body.session.id);
    const open = await create(callerFrom(null), idempotency);
    expect(open.body.session.id).not.toBe(ada.body.session.id);
  });

  // Shows I-6.
  it("all other requests work without a key: a token is enough, for a fork too", async () => {
    const session = await keyed(KEYS.ada).create();
    const client = keyed();
    const { token } = session;
    const resumed = await client.on(session, "POST", "/resume", { token, body: {} });
    expect(resumed.status).toBe(200);
    const forking = { token: resumed.body.resumeToken, body: {} };
    expect((await client.on(session, "POST", "/fork", forking)).status).toBe(201);
  });

  // Shows I-6.
  it("a resume creates a new session only with a key", async () => {
    const fresh = { token: "rtok_none", body: { onInvalid: "fresh" } };
    const session = await keyed(KEYS.ada).create();
    const resume = (client: Client) => client.on(session, "POST", "/resume", fresh);
    expect((await resume(keyed())).body).toMatchObject({ status: 401, code: "credential_missing" });
    expect((await resume(keyed(KEYS.bob))).body).toMatchObject({ outcome: "fresh" });
  });

  // Shows I-6.
  it("MCP creates a session with a key in the headers of its request", async () => {
    const without = await mcp({}).call("create_session", {});
    expect(without.facts.code).toBe("credential_missing");
    expect(without.text).toContain("key");
    const bearer = { Authorization: `Bearer ${KEYS.ada}` };
    expect((await mcp(bearer).call("create_session", {})).isError).toBe(false);
  });

  // Shows I-6.
  it("ARCP creates a session with a key as the hello's bearer", async () => {
    const send = sendFrom({}, { OWNERS });
    const hello = (token: string) => greetArcp(send, { auth: { scheme: "bearer", token } });
    expect((await hello(KEYS.ada)).type).toBe("session.welcome");
    const refused = await hello("somebody");
    expect([refused.type, refused.payload.code]).toEqual(["session.error", "UNAUTHENTICATED"]);
  });

  it("the front page offers no try-out", async () => {
    expect((await page({ OWNERS })).text).toContain("bkey_");
    expect((await page({ OWNERS })).text).not.toContain('id="begin"');
    expect((await page({})).text).toContain('id="begin"');
  });

  // Shows M-7.
  it("the API description requires a key, and that of an open server does not", async () => {
    expect(await securityOf({ OWNERS })).toEqual([{ ownerKey: [] }, { ownerKeyHeader: [] }]);
    expect(await securityOf({ OWNERS: "" })).toEqual([]);
  });

  it("wrong keys are limited like wrong tokens, and right ones are not", async () => {
    await inOneWindow(async () => {
      const from = { "Baton-Key": "wrong" };
      const address = publicAddress();
      const client = callerFrom(address, { OWNERS }, from);
      for (let n = 0; n < 60; n += 1) expect((await create(client)).status).toBe(403);
      const overLimit = await create(client);
      expect([overLimit.status, overLimit.body.code]).toEqual([429, "rate_limited"]);
      const right = callerFrom(address, { OWNERS }, { "Baton-Key": KEYS.ada });
      expect((await create(right)).status).toBe(201);
    });
  });

  it("with an empty list nobody can create a session", async () => {
    const client = callerFrom(null, { OWNERS: "[]" }, { "Baton-Key": KEYS.ada });
    expect((await create(client)).status).toBe(403);
  });

  it.each(["not JSON", '[{"name": "ada"}]', '[{"name": "", "keys": []}]'])(
    "an invalid list (%s) is 501 for creates and for requests with a key, and names the setting",
    async (list) => {
      const client = callerFrom(null, { OWNERS: list }, { "Baton-Key": KEYS.ada });
      for (const path of ["/sessions", "/sessions/open"]) {
        const { status, body } = await client.call("POST", path, { body: { externalId: "a" } });
        expect([status, body.code, body.setting]).toEqual([501, "not_configured", "OWNERS"]);
        expect(JSON.stringify(body)).not.toContain("ada");
      }
      expect((await client.call("GET", "/sessions")).status).toBe(501);
      expect((await client.call("GET", "/openapi.json")).status).toBe(200);
      expect((await client.call("GET", "/healthz")).status).toBe(200);
    },
  );
});

const createStatus = async (changes: object, key = ""): Promise<number> =>
  (await create(callerFrom(null, { OWNERS: "", ...changes }, { "Baton-Key": key }))).status;

describe("if no owners are listed", () => {
  const PUBLIC_URL = "https://baton.example";

  it.each([
    "http://localhost:8787",
    "http://127.0.0.1:9000",
    "http://[::1]:80",
    "http://a.localhost",
    // Shows I-6.
  ])("anybody can create sessions while PUBLIC_URL is a loopback address (%s)", async (loopback) =>
    expect(await createStatus({ PUBLIC_URL: loopback })).toBe(201),
  );

  it.each([
    "https://baton.example",
    "http://localhost.example",
    "http://127.0.0.1.example",
    "http://10.0.0.1",
    // Shows I-6.
  ])(
    "nobody can create sessions if it is another address (%s), except with OPEN_CREATE=true",
    async (publicUrl) => {
      expect(await createStatus({ PUBLIC_URL: publicUrl })).toBe(401);
      expect(await createStatus({ PUBLIC_URL: publicUrl }, newKey())).toBe(403);
      expect(await createStatus({ PUBLIC_URL: publicUrl, OPEN_CREATE: "yes" })).toBe(401);
      expect(await createStatus({ PUBLIC_URL: publicUrl, OPEN_CREATE: "true" })).toBe(201);
    },
  );

  // Shows I-6.
  it("OPEN_CREATE has no effect if owners are listed", async () => {
    const settings = { PUBLIC_URL, OPEN_CREATE: "true", OWNERS };
    expect((await create(callerFrom(null, settings))).status).toBe(401);
  });
});

describe("the owner `local`", () => {
  const key = newKey();
  const settings = { OWNERS: ownersText({ local: [key] }) };
  const greet = (Origin: string) =>
    greetArcp(sendFrom({ Origin }, settings), { auth: { scheme: "bearer", token: "x" } });

  // Shows I-6.
  it("owns the session if no key is sent and PUBLIC_URL is a loopback address", async () => {
    expect((await create(callerFrom(null, settings))).status).toBe(201);
    const idempotency = { key: randomKey() };
    const without = await create(callerFrom(null, settings), idempotency);
    const withKey = await create(callerFrom(null, settings, { "Baton-Key": key }), idempotency);
    expect(withKey.body.session.id).toBe(without.body.session.id);
  });

  // Shows I-6.
  it("gets no session from a website that its user visits, but from pages of this machine", async () => {
    const fresh = { onInvalid: "fresh" };
    for (const Origin of ["https://evil.example", "null"]) {
      const site = callerFrom(null, settings, { Origin });
      for (const path of ["/sessions", "/sessions/rtok_none/resume"]) {
        const answer = await site.call("POST", path, { body: path === "/sessions" ? {} : fresh });
        expect([answer.status, answer.body.code], path).toEqual([401, "credential_missing"]);
      }
      expect((await greet(Origin)).type).toBe("session.error");
      const keyed = callerFrom(null, settings, { Origin, "Baton-Key": key });
      expect((await create(keyed)).status).toBe(201);
    }
    for (const Origin of ["http://localhost:8787", "http://127.0.0.1:5173"]) {
      expect((await create(callerFrom(null, settings, { Origin }))).status).toBe(201);
      expect((await greet(Origin)).type).toBe("session.welcome");
    }
    const none = callerFrom(null, { OWNERS: "" }, { Origin: "https://evil.example" });
    expect((await create(none)).status).toBe(401);
  });

  it("reserves its external ids for callers with a key: others could take over what its owner opens", async () => {
    const body = { externalId: `claim-${crypto.randomUUID()}` };
    const squatter = await callerFrom(null, settings).call("POST", "/sessions", { body });
    expect([squatter.status, squatter.body.at]).toEqual([400, "externalId"]);
    const owner = callerFrom(null, settings, { "Baton-Key": key });
    const opened = await owner.call("POST", "/sessions/open", { body: { ...body, create: {} } });
    expect([opened.status, opened.body.outcome]).toEqual([201, "created"]);
  });

  // Shows I-6.
  it("accepts no wrong key, and nobody without a key if PUBLIC_URL is another address", async () => {
    const wrong = callerFrom(null, settings, { "Baton-Key": newKey() });
    expect((await create(wrong)).status).toBe(403);
    const publicSettings = { ...settings, PUBLIC_URL: "https://baton.example" };
    expect((await create(callerFrom(null, publicSettings))).status).toBe(401);
  });
});

// Shows I-6.
it("if none are listed everybody can create sessions, whatever key they send", async () => {
  const client = callerFrom(null, { OWNERS: "" }, { "Baton-Key": "anything" });
  expect((await create(client)).status).toBe(201);
  expect((await create(callerFrom(null), { token: "anything" })).status).toBe(201);
});
