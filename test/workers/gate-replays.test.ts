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
  const fixture = await createFixture(loss, one);
  const { method, path, options } = one.call(fixture);
  const call = { method, path, options: { ...options, key: randomKey() } };
  const first = await requestOverHttp(fixture.subject, fixture.id, call);
  expect(first.status, first.text).toBeLessThan(300);
  const lost = await fixture.lose(first.body.resumeToken);
  const repeated = await requestOverHttp(lost, fixture.id, call);
  return { fixture, first, repeated };
}

function expectRefused(repeated: ObservedResponse, loss: Loss): void {
  const code = REFUSAL[loss];
  expect([repeated.status, repeated.code], repeated.text).toEqual([STATUS[code], code]);
  if (code === "token_invalid") expect(repeated.text).toContain(wrong);
  if (code === "token_superseded") expectOutline(repeated.body.current);
  expect(repeated.text).not.toMatch(/[rj]tok_/);
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
    const { fixture, first, repeated } = await repeat(loss, one);
    expect(leaksIn(first.text, fixture.marker)).not.toEqual([]);
    expectNoContent(repeated, fixture.marker);
    if (loss !== "session expired") return expectRefused(repeated, loss);
    expect(repeated.status, repeated.text).toBe(first.status);
    expect(repeated.text).toContain("idempotent-replayed: true");
    expect(repeated.body.resumeToken).toBe(first.body.resumeToken);
    expect(repeated.body.participantToken).toBe(first.body.participantToken);
    expect(repeated.body.childToken).toBe(first.body.childToken);
    expectOutline(repeated.body.session);
  });
});

describe("repeated with its key,", () => {
  it.each(LOSSES.flatMap((loss) => KEYED.map((one) => [one.name, loss, one] as const)))(
    "%s shows nothing to a participant without access (%s)",
    async (_, loss, one) => {
      const { fixture, first, repeated } = await repeat(loss, one);
      expectNoContent(repeated, fixture.marker);
      if (loss !== "session expired") return expectRefused(repeated, loss);
      expect(repeated.status, repeated.text).toBe(first.status);
      expect(repeated.body.first).toBe(first.body.first);
    },
  );
});
