/** A person's page after a write that is refused for now: the same page, and when to retry. */
import { describe, expect, it } from "vitest";
import type { Failure } from "../../../src/domain/failure.ts";
import { runAction } from "../../../src/ui/actions.ts";
import { retryLaterHeaders } from "../../../src/ui/cookies.ts";
import { readerOf } from "../../../src/ui/words/index.ts";

const quota = { name: "resume", limit: 4, period: 60 };
const LIMITED: Failure = { code: "rate_limited", detail: "resumes", retryAfterMs: 2_500, quota };

/** Approves as a person. The session refuses the write. */
const approve = (failure: Failure) =>
  runAction(
    {
      gateway: { write: () => Promise.resolve({ ok: false, failure }) },
      typed: new Map([["version", "3"]]),
      view: { session: { version: 3 } },
      reader: readerOf("en"),
    } as never,
    "approve",
  );

describe("a write that is refused for now", () => {
  it.each<[Failure, number]>([
    [LIMITED, 429],
    [{ code: "overloaded", retryAfterMs: 1_000 }, 503],
    [{ code: "busy", retryAfterMs: 1_000 }, 503],
    [{ code: "internal" }, 503],
  ])("is drawn again for %j with %i", async (failure, status) => {
    expect(await approve(failure)).toMatchObject({ kind: "again", status, later: failure });
  });

  it("says when to try again", () => {
    expect(retryLaterHeaders(LIMITED)).toMatchObject({
      "Retry-After": "3",
      RateLimit: '"resume";r=0;t=3',
    });
    expect(retryLaterHeaders({ code: "internal" })).toEqual({ "Retry-After": "1" });
  });
});
