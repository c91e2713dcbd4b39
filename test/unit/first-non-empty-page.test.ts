import { describe, expect, it } from "vitest";
import type { ListedView, ListQuery } from "../../src/gateway/owner-gateway";
import { firstNonEmptyPage } from "../../src/ui/console/first-non-empty-page";

const FOUND = { id: "ses_1" } as unknown as ListedView;

/** Pages of which only the nth has a session. The last has no next page. */
const pagesOf = (count: number, nth: number) => {
  const cursors: (number | undefined)[] = [];
  const list = async ({ cursor }: ListQuery) => {
    cursors.push(cursor);
    const at = cursors.length;
    const sessions = at === nth ? [FOUND] : [];
    const counts = { total: 1, states: {}, waiting: {} };
    const nextCursor = at < count ? 100 - at : null;
    return { ok: true, value: { sessions, nextCursor, counts } } as const;
  };
  return { cursors, list };
};
const QUERY = {} as ListQuery;

describe("the console's list", () => {
  it("skips empty pages, reading each from the cursor of the last one", async () => {
    const { cursors, list } = pagesOf(5, 3);
    expect(await firstNonEmptyPage(QUERY, list)).toMatchObject({
      value: { sessions: [FOUND], nextCursor: 97 },
    });
    expect(cursors).toEqual([undefined, 99, 98]);
  });

  it("ends with the last page", async () => {
    const { cursors, list } = pagesOf(2, 9);
    expect(await firstNonEmptyPage(QUERY, list)).toMatchObject({
      value: { sessions: [], nextCursor: null },
    });
    expect(cursors).toHaveLength(2);
  });

  it("requests a bounded number of pages, and returns the next cursor", async () => {
    const { cursors, list } = pagesOf(1_000, 900);
    expect(await firstNonEmptyPage(QUERY, list)).toMatchObject({
      value: { sessions: [], nextCursor: 92 },
    });
    expect(cursors).toHaveLength(8);
  });

  it("returns a refusal", async () => {
    const refused = { ok: false, failure: { code: "internal" } } as const;
    expect(await firstNonEmptyPage(QUERY, async () => refused as never)).toBe(refused);
  });
});
