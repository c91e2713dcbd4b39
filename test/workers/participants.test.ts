import { afterEach, describe, expect, it, vi } from "vitest";
import type { CreatedSession } from "../support/client";
import { client, rowsWrittenBy } from "../support/worker";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

afterEach(() => {
  vi.useRealTimers();
});

const handOff = (session: CreatedSession, token: string, scopes: readonly string[], more = {}) =>
  client.on(session, "POST", "/handoffs", { token, body: { to: "agent", scopes, ...more } });

/** A new participant and its maker's next token. */
async function createParticipant(
  session: CreatedSession,
  token: string,
  scopes: readonly string[],
  more = {},
) {
  const { status, text, body } = await handOff(session, token, scopes, more);
  expect(status, text).toBe(201);
  return {
    token: body.resumeToken as string,
    other: body.participantToken as string,
    id: body.handoff.participant as string,
    handoffId: body.handoff.id as string,
  };
}

const read = (session: CreatedSession, token: string) => client.on(session, "GET", "", { token });

const codeOf = async (session: CreatedSession, token: string): Promise<string> => {
  const { status, body } = await read(session, token);
  return status === 200 ? "ok" : body.code;
};

describe("a handoff", () => {
  // Shows H-1.
  it("creates a participant with its own token line, and the maker continues", async () => {
    const session = await client.create();
    const answer = await handOff(session, session.token, ["fill"], {
      actor: { id: "helper", name: "Helper" },
      note: "Take the figures",
    });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.handoff).toMatchObject({
      id: expect.stringMatching(/^hnd_/),
      to: "agent",
      scopes: ["view", "append", "fill"],
      note: "Take the figures",
      madeBy: "par_1",
      revoked: false,
    });
    expect(answer.body.session.participants[1]).toMatchObject({
      id: answer.body.handoff.participant,
      actor: { kind: "agent", id: "helper", name: "Helper" },
    });
    expect(answer.headers.get("Resume-Token")).toBe(answer.body.resumeToken);
    expect(answer.body.participantToken).not.toBe(answer.body.resumeToken);
    expect(await codeOf(session, answer.body.participantToken)).toBe("ok");
  });

  it.each([
    [["own"], ["own"]],
    [["own"], ["view", "append", "fill", "review", "handoff", "own"]],
    [["handoff"], ["view", "handoff"]],
    [["handoff"], ["review"]],
    [["append", "handoff"], ["append"]],
    [
      ["fill", "handoff"],
      ["fill", "review", "handoff"],
    ],
    // Shows H-2.
  ])("by a holder of %j may grant %j", async (own, granted) => {
    const session = await client.create();
    const { other } = await createParticipant(session, session.token, own);
    const answer = await handOff(session, other, granted);
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.handoff.scopes).toEqual(expect.arrayContaining(granted));
  });

  it.each([
    [["handoff"], ["append"], "append"],
    [["append", "handoff"], ["fill"], "fill"],
    [["fill", "handoff"], ["own"], "own"],
    [["review", "handoff"], ["append"], "append"],
    [["fill"], ["view"], "handoff"],
    [["review"], ["review"], "handoff"],
    // Shows H-2.
  ])("by a holder of %j may not grant %j", async (own, granted, needed) => {
    const session = await client.create();
    const { other } = await createParticipant(session, session.token, own);
    const rows = await rowsWrittenBy(session, async () => {
      const refused = await handOff(session, other, granted);
      expect([refused.status, refused.body.code]).toEqual([403, "scope_denied"]);
      expect(refused.body.needed).toBe(needed);
      expect(refused.text).not.toContain("rtok_");
    });
    expect(rows).toBe(0);
    const unspent = await client.on(session, "POST", "/resume", { token: other, body: {} });
    expect(unspent.body.session.participants).toHaveLength(2);
  });

  // Shows H-4.
  it("has its own expiry if one is given, and the session continues", async () => {
    const session = await client.create();
    const { token, other } = await createParticipant(session, session.token, ["own"], {
      ttlMs: HOUR_MS,
    });
    const write = { token: other, key: "last-words", body: { fields: { a: 1 } } };
    const written = await client.on(session, "PATCH", "", write);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + HOUR_MS });
    const late = await client.on(session, "PATCH", "", {
      token: written.body.resumeToken,
      body: { fields: { a: 2 } },
    });
    const replayed = await client.on(session, "PATCH", "", write);
    expect(late.body).toMatchObject({ status: 410, code: "expired", sessionId: session.id });
    expect(replayed.body, "nothing is given back to who has no rights").toEqual(late.body);
    expect(written.status).toBe(200);
    expect(await codeOf(session, other)).toBe("expired");
    expect(await codeOf(session, token)).toBe("ok");
  });

  it("cannot outlive the longest TTL of a session", async () => {
    const session = await client.create();
    const refused = await handOff(session, session.token, ["view"], { ttlMs: 91 * DAY_MS });
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_request"]);
  });

  it("is not possible once the session has ended", async () => {
    const session = await client.create();
    const ended = await client.on(session, "POST", "/cancel", { token: session.token, body: {} });
    const refused = await handOff(session, ended.body.resumeToken, ["view"]);
    expect([refused.status, refused.body.code]).toEqual([409, "illegal_transition"]);
  });
});

describe("a scope", () => {
  const EVENT = { events: [{ type: "agent.note", payload: {} }] };
  const NEEDS = [
    ["append", "POST", "/events", EVENT],
    ["fill", "PATCH", "", { fields: { a: 1 } }],
    ["fill", "POST", "/request-input", {}],
    ["fill", "POST", "/submit", {}],
    ["review", "POST", "/approve", {}],
    ["review", "POST", "/reject", {}],
    ["review", "POST", "/request-changes", {}],
    ["handoff", "POST", "/handoffs", { to: "agent", scopes: ["view"] }],
    ["handoff", "DELETE", "/handoffs/hnd_2", undefined],
    ["own", "POST", "/finalize", {}],
    ["own", "POST", "/cancel", {}],
    ["own", "POST", "/pause", {}],
    ["own", "POST", "/unpause", {}],
    ["own", "POST", "/extend", { ttlMs: HOUR_MS }],
    ["own", "POST", "/revoke", { others: true }],
    ["own", "DELETE", "", undefined],
  ] as const;

  it.each([
    ["view", ["view"]],
    ["append", ["view", "append"]],
    ["fill", ["view", "append", "fill"]],
    ["review", ["view", "review"]],
    ["handoff", ["view", "handoff"]],
    ["own", ["view", "append", "fill", "handoff", "own"]],
    // Shows S-2.
  ])("%s denies every operation that needs another", async (scope, implied) => {
    const session = await client.create();
    const { other } = await createParticipant(session, session.token, [scope]);
    for (const [needed, method, path, body] of NEEDS) {
      if (implied.includes(needed)) continue;
      const options = { token: other, ...(body === undefined ? {} : { body }) };
      const refused = await client.on(session, method, path, options);
      expect([refused.status, refused.body.code], path).toEqual([403, "scope_denied"]);
      expect(refused.body.needed, path).toBe(needed);
    }
    const seen = (await read(session, other)).body.session;
    expect(seen.participants[1].scopes.toSorted()).toEqual(implied.toSorted());
    expect([seen.state, seen.paused]).toEqual(["draft", false]);
  });
});

describe("the list of handoffs", () => {
  // Shows H-5.
  it("shows an owner all handoffs and others their own, and no token", async () => {
    const session = await client.create();
    const a = await createParticipant(session, session.token, ["fill", "handoff"]);
    const b = await createParticipant(session, a.other, ["view"]);
    const list = async (token: string) => {
      const answer = await client.on(session, "GET", "/handoffs", { token });
      expect(answer.text).not.toContain("rtok_");
      return answer.body.handoffs.map(({ id }: { id: string }) => id);
    };
    expect(await list(a.token)).toEqual([a.handoffId, b.handoffId]);
    expect(await list(b.token)).toEqual([b.handoffId]);
  });
});

/** The creator created A and D; A created B; B created C. */
async function createFamily() {
  const session = await client.create();
  const a = await createParticipant(session, session.token, ["own"]);
  const b = await createParticipant(session, a.other, ["own"]);
  const c = await createParticipant(session, b.other, ["view"]);
  const d = await createParticipant(session, a.token, ["fill", "handoff"]);
  const tokens = { creator: d.token, a: b.token, b: c.token, c: c.other, d: d.other };
  return { session, a, b, c, d, tokens };
}

const codesOf = async (session: CreatedSession, tokens: Record<string, string>) =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(tokens).map(async ([name, token]) => [name, await codeOf(session, token)]),
    ),
  );

describe("revoking", () => {
  // Shows H-6, H-7, H-9.
  it("a participant revokes those it created, and theirs", async () => {
    const { session, b, tokens } = await createFamily();
    const revoked = await client.on(session, "POST", "/revoke", {
      token: tokens.creator,
      body: { participant: b.id },
    });
    expect(revoked.status, revoked.text).toBe(200);
    const { creator, ...others } = tokens;
    expect(creator).not.toBe(revoked.body.resumeToken);
    expect(await codesOf(session, { ...others, creator: revoked.body.resumeToken })).toEqual({
      creator: "ok",
      a: "ok",
      d: "ok",
      b: "token_invalid",
      c: "token_invalid",
    });
    const flags = revoked.body.session.participants.map((one: { revoked: boolean }) => one.revoked);
    expect(flags).toEqual([false, false, true, true, false]);
  });

  // Shows H-6.
  it("is recorded in the log by hashes, never by tokens", async () => {
    const { session, a, tokens } = await createFamily();
    await client.on(session, "DELETE", `/handoffs/${a.handoffId}`, { token: tokens.creator });
    const log = await client.on(session, "GET", "/events?after=0&type=token.revoked", {
      token: tokens.creator,
    });
    expect(log.body.events.map((one: { payload: object }) => one.payload)).toEqual(
      ["par_2", "par_3", "par_4"].map((participant) => ({
        participant,
        tokenHash: expect.stringMatching(/^[\w-]{12}$/),
      })),
    );
    expect(log.text).not.toContain("rtok_");
  });

  // Shows H-7.
  it("all others leaves only the caller", async () => {
    const { session, tokens } = await createFamily();
    const revoked = await client.on(session, "POST", "/revoke", {
      token: tokens.a,
      body: { others: true },
    });
    expect(revoked.status, revoked.text).toBe(200);
    expect(await codesOf(session, { ...tokens, a: revoked.body.resumeToken })).toEqual({
      creator: "token_invalid",
      a: "ok",
      b: "token_invalid",
      c: "token_invalid",
      d: "token_invalid",
    });
  });

  // Shows H-6.
  it("a handoff is for its maker or an owner", async () => {
    const { session, c, tokens } = await createFamily();
    const path = `/handoffs/${c.handoffId}`;
    const notMaker = await client.on(session, "DELETE", path, { token: tokens.d });
    const maker = await client.on(session, "DELETE", path, { token: tokens.b });
    expect([notMaker.status, notMaker.body.code]).toEqual([403, "scope_denied"]);
    expect(maker.status, maker.text).toBe(200);
    expect(await codeOf(session, tokens.c)).toBe("token_invalid");
  });

  // Shows H-6, H-7.
  it("an unknown participant is 404, oneself is 400, and neither spends the token", async () => {
    const { session, tokens } = await createFamily();
    const { creator: token } = tokens;
    const revoke = (body: unknown) => client.on(session, "POST", "/revoke", { token, body });
    const unknown = await revoke({ participant: "par_99" });
    const noHandoff = await client.on(session, "DELETE", "/handoffs/hnd_99", { token });
    const notAHandoff = await client.on(session, "DELETE", "/handoffs/hnd_1", { token });
    const oneself = await revoke({ participant: "par_1" });
    const both = await revoke({ participant: "par_2", others: true });
    const neither = await revoke({});
    expect([unknown.status, noHandoff.status, notAHandoff.status]).toEqual([404, 404, 404]);
    expect([oneself.status, both.status, neither.status]).toEqual([400, 400, 400]);
    expect((await revoke({ participant: "par_2" })).status).toBe(200);
  });
});
