/**
 * The table of content: every way it leaves a session, against every way of having lost the right to
 * it. Nothing marked may be in any part of any answer, and each refusal is the one that the order of
 * checks gives.
 */
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { expectNoContent, expectOutline, leaksIn, type Seen } from "../support/gate/marker";
import { LOSSES, REFUSAL, setStage, STATUS, type Seat, type Stage } from "../support/gate/stage";
import { ARCP_RESUME, FRESH_WAYS, HTTP_WAYS, MCP_WAYS, SOCKET_WAYS } from "../support/gate/ways";
import { client } from "../support/worker";

const WAYS = [...HTTP_WAYS, ...SOCKET_WAYS, ...MCP_WAYS];

afterEach(() => {
  vi.useRealTimers();
});

let wrong = "";
beforeAll(async () => {
  wrong = (await client.call("GET", "/sessions/rtok_none")).text;
});

/** A refusal by its code, with the status where there is one, and nothing but the outline with it. */
function expectRefused(seen: Seen, code: string): void {
  expect(seen.code, seen.text).toBe(code);
  if (seen.status !== null) expect(seen.status).toBe(STATUS[code]);
  if (code === "token_invalid" && seen.status !== null) expect(seen.text).toContain(wrong);
  if (seen.body?.current !== undefined) expectOutline(seen.body.current);
  expect(seen.body?.missed).toBeUndefined();
  expect(seen.text).not.toContain("rtok_");
}

describe.each(LOSSES)("one whose right is gone (%s)", (loss) => {
  let stage: Stage;
  let lost: Seat;
  let now: number;
  beforeAll(async () => {
    stage = await setStage(loss);
    lost = await stage.lose();
    now = Date.now();
    vi.useRealTimers();
  });

  it.each(WAYS)("gets nothing by $name", async ({ ask }) => {
    vi.useFakeTimers({ toFake: ["Date"], now });
    const seen = await ask(lost, stage);
    expectNoContent(seen, stage.marker);
    expectRefused(seen, REFUSAL[loss]);
    if (REFUSAL[loss] === "token_superseded") expectOutlineIn(seen);
  });

  it.each(FRESH_WAYS)("gets nothing by $name, but may begin anew", async ({ ask }) => {
    vi.useFakeTimers({ toFake: ["Date"], now });
    const seen = await ask(lost, stage);
    expectNoContent(seen, stage.marker);
    const isFenced = REFUSAL[loss] === "token_superseded";
    expect(seen.code, seen.text).toBe(isFenced ? "token_superseded" : null);
    if (!isFenced) expect(seen.text).toContain(`"outcome":"fresh"`);
  });

  it("gets nothing by ARCP resume", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now });
    const seen = await ARCP_RESUME.ask(lost, stage);
    expectNoContent(seen, stage.marker);
    expect(seen.code).toBe("RESUME_WINDOW_EXPIRED");
  });
});

/** A fenced token is told where the session stands, wherever problems can say so. */
function expectOutlineIn({ body }: Seen): void {
  if (body !== undefined) expectOutline(body.current);
}

describe("one whose right is whole", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage("revoked");
  });

  it.each(WAYS.filter((way) => way.shows))("gets content by $name", async ({ ask }) => {
    const seen = await ask(stage.subject, stage);
    expect(seen.code, seen.text).toBeNull();
    expect(leaksIn(seen.text, stage.marker)).not.toEqual([]);
  });
});
