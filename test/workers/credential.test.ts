import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { CreatedSession } from "../support/client";
import { client, inside, objectCount } from "../support/worker";

const PREFIX = "rtok_";
const PARTICIPANT_AT = 32;
const SEQ_AT = 36;
const SECRET_AT = 42;

/** The token with some of its bytes changed. */
function altered(token: string, change: (bytes: Uint8Array) => void): string {
  const bytes = Buffer.from(token.slice(PREFIX.length), "base64url");
  change(bytes);
  return PREFIX + bytes.toString("base64url");
}

/** Everything that is stored of a session: tables, rows and alarm. */
const storageOf = (session: Pick<CreatedSession, "id">): Promise<string> =>
  inside(session, async (_, { storage }) => {
    const tables = storage.sql
      .exec<{
        name: string;
        sql: string;
      }>("SELECT name, sql FROM sqlite_master WHERE name NOT GLOB '_cf_*' ORDER BY name")
      .toArray();
    const rows = tables.map(({ name }) => storage.sql.exec(`SELECT * FROM ${name}`).toArray());
    return JSON.stringify([tables, rows, await storage.getAlarm()]);
  });

/** A session with a write and one revoked participant. */
async function arrange() {
  const session = await client.create({ title: "Private" });
  const handedOff = await client.on(session, "POST", "/handoffs", {
    token: session.token,
    body: { to: "agent", scopes: ["own"] },
  });
  const revoked: string = handedOff.body.participantToken;
  const answer = await client.on(session, "POST", "/revoke", {
    token: handedOff.body.resumeToken,
    body: { others: true },
  });
  expect(answer.status, answer.text).toBe(200);
  const foreign = await client.create();
  return { session, token: answer.body.resumeToken as string, revoked, foreign: foreign.token };
}

type Arranged = Awaited<ReturnType<typeof arrange>>;

const FALSE_TOKENS: Record<string, (real: Arranged) => string> = {
  "a forged object id": ({ token }) =>
    altered(token, (bytes) => crypto.getRandomValues(bytes.subarray(0, 32))),
  "an object id with one wrong bit": ({ token }) =>
    altered(token, (bytes) => {
      bytes[31]! ^= 1;
    }),
  "a truncated token": ({ token }) => token.slice(0, -4),
  "a token truncated to its routing part": ({ token }) => token.slice(0, PREFIX.length + 43),
  "a lengthened token": ({ token }) => `${token}AAAA`,
  "another alphabet": ({ token }) => `${token.slice(0, -1)}=`,
  "only a prefix": () => PREFIX,
  "another kind of token": ({ token }) => `jtok_${token.slice(PREFIX.length)}`,
  "a wrong secret": ({ token }) =>
    altered(token, (bytes) => crypto.getRandomValues(bytes.subarray(SECRET_AT))),
  "a secret with one wrong bit": ({ token }) =>
    altered(token, (bytes) => {
      bytes[SECRET_AT]! ^= 1;
    }),
  "an unknown participant": ({ token }) =>
    altered(token, (bytes) => {
      bytes[PARTICIPANT_AT + 3] = 77;
    }),
  "the right secret under another commit": ({ token }) =>
    altered(token, (bytes) => {
      bytes[SEQ_AT + 5]! ^= 1;
    }),
  "an unknown commit": ({ token }) =>
    altered(token, (bytes) => {
      bytes[SEQ_AT] = 255;
    }),
  "the secret of another participant": ({ revoked }) =>
    altered(revoked, (bytes) => {
      bytes[PARTICIPANT_AT + 3] = 1;
    }),
  "a revoked token": ({ revoked }) => revoked,
  "the token of another session": ({ foreign }) => foreign,
};

const REQUESTS = [
  ["GET", "", undefined],
  ["GET", "/events", undefined],
  ["GET", "/resumable", undefined],
  ["PATCH", "", { fields: { a: 1 } }],
  ["POST", "/resume", {}],
  ["POST", "/events", { events: [{ type: "agent.note", payload: {} }] }],
  ["POST", "/handoffs", { to: "agent", scopes: ["view"] }],
  ["POST", "/extend", { ttlMs: 3_600_000 }],
  ["DELETE", "", undefined],
] as const;

describe("a token that gives no access", () => {
  // Shows T-10, T-11, T-12, H-9.
  it.each(Object.entries(FALSE_TOKENS))(
    "(%s) gets one and the same 403 and leaves no trace",
    async (_, falsify) => {
      const real = await arrange();
      const { session } = real;
      const token = falsify(real);
      const nonsense = await client.on(session, "GET", "", { token: "nonsense" });
      const [storage, objects] = [await storageOf(session), await objectCount()];
      for (const [method, path, body] of REQUESTS) {
        const options = { token, key: "some-key", ...(body === undefined ? {} : { body }) };
        const refused = await client.on(session, method, path, options);
        expect(refused.status, `${method} ${path}`).toBe(403);
        expect(refused.text).toBe(nonsense.text);
        expect(refused.headers.get("Content-Type")).toBe("application/problem+json");
        expect(refused.headers.get("Cache-Control")).toBe("no-store");
      }
      expect(nonsense.body.code).toBe("token_invalid");
      expect(nonsense.text).not.toContain(session.id.slice("ses_".length));
      expect(await storageOf(session)).toBe(storage);
      expect(await objectCount()).toBe(objects);
      expect((await client.on(session, "GET", "", { token: real.token })).status).toBe(200);
    },
  );

  // Shows T-10.
  it("gets the same 403 with the token in the path", async () => {
    const real = await arrange();
    const nonsense = await client.on(real.session, "GET", "", { token: "nonsense" });
    const tokens = Object.entries(FALSE_TOKENS)
      // In the path, a token of another session names that session, and another kind of token is not a token.
      .filter(([name]) => !/another (session|kind)/.test(name))
      .map(([, falsify]) => falsify(real));
    const [storage, objects] = [await storageOf(real.session), await objectCount()];
    for (const token of tokens) {
      const refused = await client.call("GET", `/sessions/${encodeURIComponent(token)}`);
      expect([refused.status, refused.text]).toEqual([403, nonsense.text]);
    }
    expect(await storageOf(real.session)).toBe(storage);
    expect(await objectCount()).toBe(objects);
  });

  it("but names an authentic empty object gets 410, and no table is created there", async () => {
    const namespace = (env as unknown as { SESSION: DurableObjectNamespace }).SESSION;
    const never = Buffer.from(namespace.newUniqueId().toString(), "hex");
    const session = { id: `ses_${never.toString("base64url")}` };
    const bytes = Buffer.concat([never, crypto.getRandomValues(Buffer.alloc(34))]);
    const token = PREFIX + bytes.toString("base64url");
    for (const [method, path, body] of REQUESTS) {
      const gone = await client.on(session, method, path, { token, body });
      expect(gone.body, `${method} ${path}`).toMatchObject({ status: 410, code: "gone" });
    }
    expect(JSON.parse(await storageOf(session))).toEqual([[], [], null]);
  });
});

describe("where a token travels", () => {
  // Shows T-8.
  it("is in the header next to the session id, or in the path instead of it, under both path names", async () => {
    const session = await client.create();
    const { id, token } = session;
    for (const path of [`/sessions/${id}`, `/submissions/${id}`]) {
      expect((await client.call("GET", path, { token })).body.session.id).toBe(id);
    }
    for (const path of [`/sessions/${token}`, `/submissions/${token}`]) {
      expect((await client.call("GET", path)).body.session.id).toBe(id);
      expect((await client.call("GET", path, { token })).body.session.id).toBe(id);
    }
    const body = { fields: { a: 1 } };
    const written = await client.call("PATCH", `/sessions/${token}`, { body });
    expect(written.status, written.text).toBe(200);
    expect((await client.call("PATCH", `/sessions/${token}`, { body })).status).toBe(409);
  });

  // Shows T-8.
  it("is refused if path and header carry different tokens", async () => {
    const [one, two] = [await client.create(), await client.create()];
    const refused = await client.call("GET", `/sessions/${one.token}`, { token: two.token });
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_request"]);
    expect(refused.text).not.toContain("rtok_");
  });

  // Shows T-9.
  it("is nowhere else: without a credential the response is 401", async () => {
    const { id, token } = await client.create();
    const basic = `Basic ${btoa(`agent:${token}`)}`;
    for (const [path, headers] of [
      [`/sessions/${id}`, {}],
      [`/sessions/${id}?token=${token}&access_token=${token}`, {}],
      [`/sessions/${id}`, { Authorization: basic }],
      [`/sessions/${id}`, { Authorization: token }],
      [`/sessions/${id}`, { Cookie: `token=${token}` }],
    ] as const) {
      const refused = await client.call("GET", path, { headers });
      expect([refused.status, refused.body.code]).toEqual([401, "credential_missing"]);
      expect(refused.headers.get("WWW-Authenticate")).toMatch(/^Bearer/);
      expect(refused.text).not.toContain(id);
    }
  });
});

describe("an agent", () => {
  // Shows C-3, R-6, H-3.
  it.each(["human", "system"])("cannot become a %s actor", async (kind) => {
    const actor = { kind, id: "somebody" };
    const session = await client.create();
    const [storage, objects] = [await storageOf(session), await objectCount()];
    const created = await client.call("POST", "/sessions", { body: { actor } });
    const { token } = session;
    const resumed = await client.on(session, "POST", "/resume", { token, body: { actor } });
    const fresh = await client.call("POST", "/sessions/ses_x/resume", {
      token: "nonsense",
      body: { actor, onInvalid: "fresh" },
    });
    const handedOff = await client.on(session, "POST", "/handoffs", {
      token,
      body: { to: "agent", scopes: ["view"], actor },
    });
    expect([created.status, resumed.status, handedOff.status]).toEqual([400, 400, 400]);
    expect(fresh.status).toBeGreaterThanOrEqual(400);
    expect(await storageOf(session)).toBe(storage);
    expect(await objectCount()).toBe(objects);
  });

  // Shows C-3.
  it("stays an agent under any name", async () => {
    const actor = { id: "system", name: "human" };
    const session = await client.create({ actor });
    const resumed = await client.on(session, "POST", "/resume", {
      token: session.token,
      body: { actor: { kind: "agent", ...actor } },
    });
    const handedOff = await client.on(session, "POST", "/handoffs", {
      token: resumed.body.resumeToken,
      body: { to: "agent", scopes: ["view"], actor },
    });
    const { createdBy, participants } = handedOff.body.session;
    const actors = participants.map((one: { actor: unknown }) => one.actor);
    const expected = { kind: "agent", ...actor };
    expect([createdBy, ...actors]).toEqual([expected, expected, expected]);
  });

  it("cannot write events that are the server's own", async () => {
    const session = await client.create();
    for (const type of ["session.expired", "token.revoked", "review.approved", "handoff.created"]) {
      const events = [{ type, payload: {} }];
      const options = { token: session.token, body: { events } };
      const refused = await client.on(session, "POST", "/events", options);
      expect([refused.status, refused.body.code], type).toEqual([400, "invalid_request"]);
    }
  });
});
