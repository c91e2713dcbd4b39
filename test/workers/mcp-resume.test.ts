import { afterEach, describe, expect, it, vi } from "vitest";
import { randomKey, type CreatedSession } from "../support/client";
import { withWrongSecret } from "../support/mcp";
import { mcp } from "../support/mcp-worker";
import { client, objectCount } from "../support/worker";

const DAY_MS = 24 * 60 * 60 * 1000;

afterEach(() => {
  vi.useRealTimers();
});

/** Ways in which a token stops working: the error code, and how to cause it. */
const ENDS: readonly (readonly [string, string, (session: CreatedSession) => Promise<string>])[] = [
  ["of the wrong shape", "token_invalid", async () => "not a token"],
  ["forged", "token_invalid", async ({ token }) => `rtok_${"A".repeat(token.length - 5)}`],
  ["wrong in its secret", "token_invalid", async ({ token }) => withWrongSecret(token)],
  [
    "revoked",
    "token_invalid",
    async (session) => {
      const body = { to: "agent", scopes: ["fill"] };
      const handedOff = await client.on(session, "POST", "/handoffs", {
        token: session.token,
        body,
      });
      const { resumeToken: token, participantToken } = handedOff.body;
      await client.on(session, "POST", "/revoke", { token, body: { others: true } });
      return participantToken;
    },
  ],
  [
    "expired",
    "expired",
    async ({ token }) => {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 8 * DAY_MS });
      return token;
    },
  ],
  [
    "gone",
    "gone",
    async (session) => {
      await client.on(session, "DELETE", "", { token: session.token });
      return session.token;
    },
  ],
];

describe("a token", () => {
  // Shows Q-6.
  it.each(ENDS)(
    "that is %s creates a new session and reports it, or fails and creates nothing",
    async (_, code, end) => {
      const session = await client.create({ title: "The old one" });
      const resume_token = await end(session);
      const objects = await objectCount();

      const failed = await mcp.call("resume_session", { resume_token, on_invalid: "fail" });
      expect(failed.isError).toBe(true);
      expect(failed.facts.code).toBe(code);
      expect(await objectCount()).toBe(objects);

      const fresh = await mcp.call("resume_session", { resume_token, last_event_seq: 5 });
      expect(fresh.isError).toBe(false);
      expect(fresh.facts).toMatchObject({
        outcome: "fresh",
        warning: { code, requested: { lastEventSeq: 5 } },
        session: { title: null, fields: {} },
        events: [],
        more: false,
      });
      expect(fresh.facts.session.id).not.toBe(session.id);
      expect(fresh.text).toContain(`WARNING (${code})`);
      expect(fresh.text).toContain(fresh.facts.warning.reason);
      expect(await objectCount()).toBe(objects + 1);
    },
  );

  // Shows Q-6.
  it("that is superseded never creates a session", async () => {
    const session = await client.create();
    const { token } = session;
    const next = await client.on(session, "POST", "/resume", { token, body: {} });
    const objects = await objectCount();
    const refused = await mcp.call("resume_session", { resume_token: token });

    expect(refused.isError).toBe(true);
    expect(refused.facts).toMatchObject({ code: "token_superseded", sessionId: session.id });
    expect(JSON.stringify(refused)).not.toContain(next.body.resumeToken);
    expect(await objectCount()).toBe(objects);
  });

  it("is accepted under either argument name, together with the session's id", async () => {
    const session = await client.create();
    const { facts } = await mcp.call("resume_session", {
      resumeToken: session.token,
      sessionId: session.id,
    });
    const other = await client.create();
    const crossed = await mcp.call("resume_session", {
      resume_token: facts.resume_token,
      session_id: other.id,
      on_invalid: "fail",
    });

    expect(facts).toMatchObject({ outcome: "resumed", session: { id: session.id } });
    expect(crossed.facts.code).toBe("token_invalid");
  });
});

describe("a new session instead of a resume", () => {
  it("is found again by the identical call with its key", async () => {
    const call = { resume_token: "lost", idempotency_key: randomKey() };
    const first = await mcp.call("resume_session", call);
    const objects = await objectCount();
    const repeated = await mcp.call("resume_session", call);

    expect(repeated.facts).toEqual(first.facts);
    expect(await objectCount()).toBe(objects);
  });

  it("is refused with a key that others could guess, and the error is in terms of tools", async () => {
    const objects = await objectCount();
    const refused = await mcp.call("resume_session", {
      resume_token: "lost",
      idempotency_key: "1",
    });

    expect(refused.isError).toBe(true);
    expect(refused.facts).toMatchObject({ code: "invalid_request", at: "idempotency_key" });
    expect(refused.text).toContain("the idempotency_key must have at least 22 random characters");
    expect(await objectCount()).toBe(objects);
  });
});
