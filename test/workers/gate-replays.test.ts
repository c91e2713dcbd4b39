/**
 * A replay returns outcome and secrets, and content only to a caller who may view it now. Every
 * operation that can be repeated, against every way to lose access in between.
 */
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { randomKey } from "../support/client";
import {
  expectNoContent,
  expectOutline,
  leaksIn,
  type ObservedResponse,
} from "../support/gate/marker";
import { KEYED, REPLAYS, type Replay } from "../support/gate/replays";
import { LOSSES, REFUSAL, createFixture, STATUS, type Loss } from "../support/gate/fixture";
import { requestOverHttp } from "../support/gate/access-paths";
import { client } from "../support/worker";
import { isWhole } from "../support/scale";

afterEach(() => {
  vi.useRealTimers();
});

let wrong = "";
beforeAll(async () => {
  wrong = (await client.call("GET", "/sessions/rtok_none")).text;
});

/** Ended sessions: no participant can be revoked or resumed there, and they do not expire. */
const AFTER_AN_END: ReadonlySet<Loss> = new Set([
  "past its own end",
  "bound to another network",
  "bound to another principal",
]);

/** Sends the request once with access, and again without it. */
async function repeat(loss: Loss, one: Replay) {
  const stage = await createFixture(loss, one);
  const { method, path, options } = one.call(stage);
  const call = { method, path, options: { ...options, key: randomKey() } };
  const first = await requestOverHttp(stage.subject, stage.id, call);
  expect(first.status, first.text).toBeLessThan(300);
  const lost = await stage.lose(first.body.resumeToken);
  const again = await requestOverHttp(lost, stage.id, call);
  return { stage, first, again };
}

function expectRefused(again: ObservedResponse, loss: Loss): void {
  const code = REFUSAL[loss];
  expect([again.status, again.code], again.text).toEqual([STATUS[code], code]);
  if (code === "token_invalid") expect(again.text).toContain(wrong);
  if (code === "token_superseded") expectOutline(again.body.current);
  expect(again.text).not.toMatch(/[rj]tok_/);
}

/** In the short run a third of the cells, with every operation and every loss among them. */
const isTried = (loss: number, operation: number): boolean =>
  isWhole || (loss + operation) % 3 === 0;

const CELLS = LOSSES.flatMap((loss, row) =>
  REPLAYS.filter(({ ends }, column) =>
    ends === true ? AFTER_AN_END.has(loss) : isTried(row, column),
  ).map((one) => [one.name, loss, one] as const),
);

it("every operation and every loss is tested", () => {
  expect(new Set(CELLS.map(([name]) => name))).toEqual(new Set(REPLAYS.map(({ name }) => name)));
  expect(new Set(CELLS.map(([, loss]) => loss))).toEqual(new Set(LOSSES));
});

describe("repeated with its key and its spent token,", () => {
  it.each(CELLS)("%s shows nothing to a participant without access (%s)", async (_, loss, one) => {
    const { stage, first, again } = await repeat(loss, one);
    expect(leaksIn(first.text, stage.marker)).not.toEqual([]);
    expectNoContent(again, stage.marker);
    if (loss !== "session expired") return expectRefused(again, loss);
    expect(again.status, again.text).toBe(first.status);
    expect(again.text).toContain("idempotent-replayed: true");
    expect(again.body.resumeToken).toBe(first.body.resumeToken);
    expect(again.body.participantToken).toBe(first.body.participantToken);
    expect(again.body.childToken).toBe(first.body.childToken);
    expectOutline(again.body.session);
  });
});

describe("repeated with its key,", () => {
  it.each(LOSSES.flatMap((loss) => KEYED.map((one) => [one.name, loss, one] as const)))(
    "%s shows nothing to a participant without access (%s)",
    async (_, loss, one) => {
      const { stage, first, again } = await repeat(loss, one);
      expectNoContent(again, stage.marker);
      if (loss !== "session expired") return expectRefused(again, loss);
      expect(again.status, again.text).toBe(first.status);
      expect(again.body.first).toBe(first.body.first);
    },
  );
});
