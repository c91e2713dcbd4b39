import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openStorage } from "../../src/object/storage-port";
import { play } from "../contract/interleaving/game";
import { chainProblem, type AcceptedMove } from "../contract/interleaving/history";
import { HttpDriver, type LookInside } from "../contract/interleaving/http-driver";
import { planOf } from "../contract/interleaving/plan";
import { readStored } from "../contract/interleaving/stored";
import { randomKey, type Answer } from "../support/client";
import { client, inside } from "../support/worker";
import { drawn, scaled } from "../support/scale";

const lookInside: LookInside = (session, look) =>
  inside(session, (_, { storage }) => look(openStorage(storage, { rowsRead: 0, rowsWritten: 0 })));

describe("any interleaving over HTTP", () => {
  it("keeps versions a chain, the log dense, every write once and every refusal without a trace", async () => {
    await fc.assert(
      fc.asyncProperty(planOf(30), (plan) =>
        play(new HttpDriver(client, lookInside), plan, new Map()),
      ),
      drawn(scaled(3, 12)),
    );
  });
});

interface Hand {
  readonly number: number;
  token: string;
  seen: number;
}

describe("participants who write at the same time", () => {
  it("pass one at a time: each accepted write stands on the one before it", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 5 }),
        fc.array(fc.array(fc.nat(9), { minLength: 5, maxLength: 5 }), {
          minLength: 3,
          maxLength: 6,
        }),
        race,
      ),
      drawn(scaled(2, 8)),
    );
  });
});

/** Each round, every hand sends at once, some of them twice with the same token and other keys. */
async function race(hands: number, rounds: readonly (readonly number[])[]): Promise<void> {
  const session = await client.create();
  const players: Hand[] = [];
  let { token } = session;
  for (let number = 2; number <= hands; number++) {
    const body = { to: "agent", scopes: ["own"] };
    const made = await client.on(session, "POST", "/handoffs", { token, body });
    token = made.body.resumeToken;
    players.push({ number, token: made.body.participantToken, seen: made.body.session.version });
  }
  const created = session.answer.body.session.version;
  players.push({ number: 1, token, seen: created });

  const moves: AcceptedMove[] = [];
  let accepted = hands;
  for (const choices of rounds) {
    const sent = players.flatMap((player, index) => {
      const choice = choices[index] ?? 0;
      const once = () => attempt(session, player, choice);
      return choice < 4 ? [once(), once()] : [once()];
    });
    for (const { player, base, answer } of inOrder(await Promise.all(sent))) {
      accepted += 1;
      const { version } = answer.body.session;
      player.token = answer.body.resumeToken;
      if (base === null) continue;
      moves.push({ by: player.number, base, made: version });
      player.seen = version;
    }
    for (const player of players) await catchUp(session, player);
    accepted += players.length;
  }

  const stored = await lookInside(session, readStored);
  expect(chainProblem(created, moves)).toBeNull();
  expect(stored.session.version).toBe(moves.at(-1)?.made ?? created);
  expect(stored.commits).toHaveLength(accepted);
  expect(stored.events.map(({ seq }) => seq)).toEqual(stored.events.map((_, index) => index + 1));

  async function catchUp({ id }: typeof session, player: Hand): Promise<void> {
    const { token } = player;
    const resumed = await client.on({ id }, "POST", "/resume", { token, body: {} });
    expect(resumed.status, resumed.text).toBe(200);
    player.token = resumed.body.resumeToken;
    player.seen = resumed.body.session.version;
  }
}

interface Attempt {
  readonly player: Hand;
  /** Null for what moves no version. */
  readonly base: number | null;
  readonly answer: Answer;
}

async function attempt(
  session: { readonly id: string },
  player: Hand,
  choice: number,
): Promise<Attempt> {
  const { token, seen } = player;
  const key = randomKey();
  const isMove = choice % 3 !== 2;
  const answer = isMove
    ? await client.on(session, "PATCH", "", { token, key, body: { fields: { by: key } } })
    : await client.on(session, "POST", "/extend", { token, key, body: { ttlMs: 60_000 } });
  expect([200, 409], answer.text).toContain(answer.status);
  return { player, base: isMove ? seen : null, answer };
}

/** The accepted ones as the log has them, and of one token at most one. */
function inOrder(attempts: readonly Attempt[]): readonly Attempt[] {
  const accepted = attempts.filter(({ answer }) => answer.status === 200);
  const players = accepted.map(({ player }) => player.number);
  expect(new Set(players).size, "one token was spent twice").toBe(players.length);
  return accepted.toSorted((a, b) => a.answer.body.session.head - b.answer.body.session.head);
}
