import { describe, expect, it } from "vitest";
import type { Answer, CreatedSession } from "../support/client";
import { client, inside, rowsWrittenBy } from "../support/worker";

const append = (
  session: CreatedSession,
  name: string,
  more: { key?: string; expectedHead?: number } = {},
): Promise<Answer> =>
  client.on(session, "POST", "/events", {
    token: session.token,
    body: {
      events: [{ type: "agent.note", payload: { name } }],
      ...(more.expectedHead === undefined ? {} : { expectedHead: more.expectedHead }),
    },
    ...(more.key === undefined ? {} : { key: more.key }),
  });

const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `n${n}`);

/** Names by seq, as the log has them after the two events of the creation. */
async function logged(session: CreatedSession): Promise<ReadonlyMap<number, string>> {
  const { body } = await client.on(session, "GET", "/events?after=2", { token: session.token });
  return new Map(
    body.events.map((event: { seq: number; payload: { name: string } }) => [
      event.seq,
      event.payload.name,
    ]),
  );
}

describe("concurrent appends", () => {
  it("each get seqs of their own, without a gap, for one row each", async () => {
    const session = await client.create();
    const all = names(40);
    let answers: Answer[] = [];
    const rows = await rowsWrittenBy(session, async () => {
      answers = await Promise.all(all.map((name) => append(session, name)));
    });
    const log = await logged(session);
    expect(answers.map(({ status }) => status)).toEqual(all.map(() => 201));
    expect(answers.map(({ body }) => log.get(body.first))).toEqual(all);
    expect([...log.keys()]).toEqual(all.map((_, index) => index + 3));
    expect(rows).toBe(40);
  });

  it("with one key are one append", async () => {
    const session = await client.create();
    const answers = await Promise.all(names(12).map(() => append(session, "same", { key: "k" })));
    expect(new Set(answers.map(({ body }) => body.first))).toEqual(new Set([3]));
    const replays = answers.filter(({ headers }) => headers.has("Idempotent-Replayed"));
    expect(replays).toHaveLength(11);
    expect((await logged(session)).size).toBe(1);
  });

  it("that all expect the same head let one of them through", async () => {
    const session = await client.create();
    const answers = await Promise.all(
      names(12).map((name) => append(session, name, { expectedHead: 2 })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = answers.filter(({ body }) => body.code === "version_conflict");
    expect(refused).toHaveLength(11);
    expect((await logged(session)).size).toBe(1);
  });

  it("do not undo others if one of them cannot be stored", async () => {
    const session = await client.create();
    await inside(session, (_, { storage }) =>
      storage.sql.exec(`CREATE TRIGGER poisoned BEFORE INSERT ON commits
        WHEN NEW.events LIKE '%poison%' BEGIN SELECT RAISE(ABORT, 'poison'); END`),
    );
    const all = names(20).map((name, index) => (index % 5 === 3 ? "poison" : name));
    const answers = await Promise.all(all.map((name) => append(session, name)));
    const log = await logged(session);
    for (const [index, { status, body }] of answers.entries()) {
      expect(status, all[index]).toBe(all[index] === "poison" ? 500 : 201);
      if (status === 201) expect(log.get(body.first)).toBe(all[index]);
    }
    expect(log.size).toBe(16);
  });

  it("after a revocation that came between them are refused", async () => {
    const session = await client.create();
    const handedOff = await client.on(session, "POST", "/handoffs", {
      token: session.token,
      body: { to: "agent", scopes: ["append"] },
    });
    const participant = { ...session, token: handedOff.body.participantToken as string };
    const [, revoked, ...late] = await Promise.all([
      append(participant, "first"),
      client.on(session, "POST", "/revoke", {
        token: handedOff.body.resumeToken,
        body: { participant: "par_2" },
      }),
      ...names(8).map((name) => append(participant, name)),
    ]);
    expect(revoked.status).toBe(200);
    const revokedAt = revoked.body.session.head as number;
    for (const { status, body } of late) {
      if (status === 201) expect(body.last).toBeLessThan(revokedAt);
      else expect(body.code).toBe("token_invalid");
    }
    expect((await append(participant, "later")).status).toBe(403);
  });
});
