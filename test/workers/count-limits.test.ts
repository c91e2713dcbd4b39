/** Limits that are reached only by many requests or long texts, at the limit and one past it. */
import { describe, expect, it } from "vitest";
import type { CreatedSession } from "../support/client";
import { bytesOfSession } from "../support/row-bytes";
import { client, rewrite } from "../support/worker";

const KIB = 1024;

const text = (length: number): string => "x".repeat(length);

/** Characters of three bytes each, as many as a name may have. */
const WIDE_ACTOR = { id: "€".repeat(200), name: "€".repeat(200) };

/**
 * Fills the session with the maximum number of participants, each with the longest texts. One handoff
 * creates the first, and 98 copies of it are written into the row. Returns the token.
 */
async function fillParticipants(session: CreatedSession): Promise<string> {
  const body = {
    to: "agent",
    scopes: ["view"],
    actor: WIDE_ACTOR,
    note: "€".repeat(4_000),
  };
  const answer = await client.on(session, "POST", "/handoffs", { token: session.token, body });
  expect(answer.status, answer.text.slice(0, 500)).toBe(201);
  await rewrite(session, (sql) => {
    const { participants } = sql.exec("SELECT participants FROM session").one();
    const [owner, created] = JSON.parse(String(participants)) as [object, object];
    const many = Array.from({ length: 99 }, (_, n) => ({ ...created, number: n + 2 }));
    sql.exec("UPDATE session SET participants = ?", JSON.stringify([owner, ...many]));
  });
  const shown = await client.on(session, "GET", "", { token: answer.body.resumeToken });
  expect(shown.body.session.participants).toHaveLength(100);
  return answer.body.resumeToken;
}

/** Creates checkpoints one after the other and returns the last token. */
async function pinCheckpoints(session: CreatedSession, count: number): Promise<string> {
  let { token } = session;
  for (let n = 0; n < count; n++) {
    const answer = await client.on(session, "POST", "/checkpoints", {
      token,
      body: { pinned: true },
    });
    expect(answer.status, answer.text).toBe(201);
    token = answer.body.resumeToken;
  }
  return token;
}

describe("a bound", () => {
  // Shows K-3.
  it("on checkpoints counts pinned ones, which are never evicted", async () => {
    const session = await client.create();
    const token = await pinCheckpoints(session, 100);
    const refused = await client.on(session, "POST", "/checkpoints", { token, body: {} });
    expect(refused.status).toBe(413);
    expect(refused.body).toMatchObject({ code: "too_large", limit: 100 });
    const unpinned = await client.on(session, "PATCH", "/checkpoints/chk_7", {
      token,
      body: { pinned: false },
    });
    const { resumeToken } = unpinned.body;
    const checkpointed = await client.on(session, "POST", "/checkpoints", {
      token: resumeToken,
      body: {},
    });
    expect(checkpointed.status, checkpointed.text).toBe(201);
    const listed = await client.on(session, "GET", "/checkpoints", { token: resumeToken });
    const ids = listed.body.checkpoints.map(({ id }: { id: string }) => id);
    expect(ids).toHaveLength(100);
    expect(ids).not.toContain("chk_7");
    expect(ids).toContain("chk_101");
  });

  // Shows B-9, M-11.
  it("on children counts those that are open", async () => {
    const session = await client.create();
    const first = await client.on(session, "POST", "/fork", { token: session.token, body: {} });
    // 98 more like the first one, written directly into the row because forking them takes long.
    await rewrite(session, (sql) => {
      const { children } = sql.exec("SELECT children FROM session").one();
      const [child] = JSON.parse(String(children)) as unknown[];
      const many = JSON.stringify(Array.from({ length: 99 }, () => child));
      sql.exec("UPDATE session SET children = ?", many);
    });
    const fork = (token: string) => client.on(session, "POST", "/fork", { token, body: {} });
    const last = await fork(first.body.resumeToken);
    expect(last.status, last.text).toBe(201);
    const refused = await fork(last.body.resumeToken);
    expect(refused.status).toBe(413);
    expect(refused.body).toMatchObject({ code: "too_large", limit: 100 });
    const { child, childToken } = last.body;
    await client.on(child, "POST", "/cancel", { token: childToken, body: {} });
    const { resumeToken } = last.body;
    const next = await fork(resumeToken);
    expect(next.status, next.text).toBe(201);
    const audit = await client.on(session, "GET", "/audit?type=session.forked&limit=10", {
      token: next.body.resumeToken,
    });
    expect(audit.body.events.at(-1).payload.ended).toEqual([child.id]);
    const shown = await client.on(session, "GET", "/lineage", { token: next.body.resumeToken });
    expect(shown.body.lineage[0].children).not.toContain(child.id);
    expect((await fork(next.body.resumeToken)).status).toBe(413);
  });

  // Shows B-7.
  it("on a line of forks shown is a hundred generations", async () => {
    let last = await client.create();
    const ids = [last.id];
    for (let n = 0; n < 100; n++) {
      const forked = await client.on(last, "POST", "/fork", { token: last.token, body: {} });
      expect(forked.status, forked.text).toBe(201);
      const { child, childToken } = forked.body;
      last = { id: child.id, token: childToken, answer: forked };
      ids.push(last.id);
    }
    const answer = await client.on(last, "GET", "/lineage", { token: last.token });
    const line = answer.body.lineage.map(({ sessionId }: { sessionId: string }) => sessionId);
    expect(line).toEqual(ids.slice(-100));
  });

  // Shows M-11.
  it("on the session's row counts everybody and everything in it", async () => {
    const session = await client.create({
      actor: WIDE_ACTOR,
      nextStep: { body: "€".repeat(64 * KIB) },
    });
    let token = await fillParticipants(session);
    const patch = (fields: unknown) => client.on(session, "PATCH", "", { token, body: { fields } });
    const shown = async () => (await client.on(session, "GET", "", { token })).text;
    const before = await shown();
    const wide = Array.from({ length: 500 }, (_, n) => [`${"€".repeat(187)}${n}`, text(398)]);
    const refused = await patch(Object.fromEntries(wide));
    expect(refused.status, refused.text.slice(0, 500)).toBe(413);
    expect(refused.body).toMatchObject({ code: "too_large", limit: 1_900_000 });
    expect(await shown()).toBe(before);

    token = (await patch({ pad: "" })).body.resumeToken;
    const capacity = 1_900_000 - (await bytesOfSession(session));
    const at = await patch({ pad: text(capacity) });
    expect(at.status, at.text.slice(0, 500)).toBe(200);
    token = at.body.resumeToken;
    expect(await bytesOfSession(session)).toBe(1_900_000);
    const full = await shown();
    const beyond = await patch({ pad: text(capacity + 1) });
    expect(beyond.status).toBe(413);
    expect(beyond.body).toMatchObject({ code: "too_large", limit: 1_900_000 });
    expect(await shown()).toBe(full);
    // A full session can still be controlled, whoever filled it.
    for (const [path, body] of [
      ["/resume", {}],
      ["/pause", {}],
      ["/revoke", { others: true }],
      ["/cancel", {}],
    ] as const) {
      const key = `${path}-${"k".repeat(40)}`;
      const steered = await client.on(session, "POST", path, { token, body, key });
      expect(steered.status, `${path}: ${steered.text.slice(0, 300)}`).toBe(200);
      token = steered.body.resumeToken;
    }
  });
});
