/**
 * The table of content: every path by which content leaves a session, against every way to lose access.
 * No marked text may be in any part of any response, and each refusal follows the order of checks.
 */
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  expectNoContent,
  expectOutline,
  leaksIn,
  type ObservedResponse,
} from "../support/gate/marker";
import {
  LOSSES,
  REFUSAL,
  createFixture,
  STATUS,
  type TestParticipant,
  type GateFixture,
} from "../support/gate/fixture";
import {
  ARCP_RESUME,
  FRESH_ACCESS_PATHS,
  HTTP_ACCESS_PATHS,
  MCP_ACCESS_PATHS,
  SOCKET_ACCESS_PATHS,
} from "../support/gate/access-paths";
import { client } from "../support/worker";

const ACCESS_PATHS = [...HTTP_ACCESS_PATHS, ...SOCKET_ACCESS_PATHS, ...MCP_ACCESS_PATHS];

afterEach(() => {
  vi.useRealTimers();
});

let wrong = "";
beforeAll(async () => {
  wrong = (await client.call("GET", "/sessions/rtok_none")).text;
});

/** A refusal by its code, with the status if there is one, and with nothing but the outline. */
function expectRefused(seen: ObservedResponse, code: string): void {
  expect(seen.code, seen.text).toBe(code);
  if (seen.status !== null) expect(seen.status).toBe(STATUS[code]);
  if (code === "token_invalid" && seen.status !== null) expect(seen.text).toContain(wrong);
  if (seen.body?.current !== undefined) expectOutline(seen.body.current);
  expect(seen.body?.missed).toBeUndefined();
  expect(seen.text).not.toContain("rtok_");
}

describe.each(LOSSES)("a participant without access (%s)", (loss) => {
  let fixture: GateFixture;
  let lost: TestParticipant;
  let now: number;
  beforeAll(async () => {
    fixture = await createFixture(loss);
    lost = await fixture.lose();
    now = Date.now();
    vi.useRealTimers();
  });

  it.each(ACCESS_PATHS)("gets nothing by $name", async ({ request }) => {
    vi.useFakeTimers({ toFake: ["Date"], now });
    const seen = await request(lost, fixture);
    expectNoContent(seen, fixture.marker);
    expectRefused(seen, REFUSAL[loss]);
    if (REFUSAL[loss] === "token_superseded") expectOutlineIn(seen);
  });

  it.each(FRESH_ACCESS_PATHS)(
    "gets nothing by $name, but may create a new session",
    async ({ request }) => {
      vi.useFakeTimers({ toFake: ["Date"], now });
      const seen = await request(lost, fixture);
      expectNoContent(seen, fixture.marker);
      const isFenced = REFUSAL[loss] === "token_superseded";
      expect(seen.code, seen.text).toBe(isFenced ? "token_superseded" : null);
      if (!isFenced) expect(seen.text).toContain(`"outcome":"fresh"`);
    },
  );

  it("gets nothing by ARCP resume", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now });
    const seen = await ARCP_RESUME.request(lost, fixture);
    expectNoContent(seen, fixture.marker);
    expect(seen.code).toBe("RESUME_WINDOW_EXPIRED");
  });
});

/** A fenced token gets the state of the session in every kind of problem that can carry it. */
function expectOutlineIn({ body }: ObservedResponse): void {
  if (body !== undefined) expectOutline(body.current);
}

describe("a participant with access", () => {
  let fixture: GateFixture;
  beforeAll(async () => {
    fixture = await createFixture("revoked");
  });

  it.each(ACCESS_PATHS.filter((accessPath) => accessPath.shows))(
    "gets content by $name",
    async ({ request }) => {
      const seen = await request(fixture.subject, fixture);
      expect(seen.code, seen.text).toBeNull();
      expect(leaksIn(seen.text, fixture.marker)).not.toEqual([]);
    },
  );
});
