import { describe, expect, it } from "vitest";
import type { ListedView, ListQuery } from "../../src/gateway/owner-gateway";
import { firstNonEmptyPage } from "../../src/ui/console/first-non-empty-page";

const FOUND = { id: "ses_1" } as unknown as ListedView;

/** Pages of which only the nth shows something; the last has no next one. */
const pagesOf = (count: number, nth: number) => {
  const asked: (number | undefined)[] = [];
  const list = async ({ cursor }: ListQuery) => {
    asked.push(cursor);
    const at = asked.length;
    const sessions = at === nth ? [FOUND] : [];
    const counts = { total: 1, states: {}, waiting: {} };
    const nextCursor = at < count ? 100 - at : null;
    return { ok: true, value: { sessions, nextCursor, counts } } as const;
  };
  return { asked, list };
};
const QUERY = {} as ListQuery;

describe("the console's list", () => {
  it("looks past pages that are empty, each from where the last one ended", async () => {
    const { asked, list } = pagesOf(5, 3);
    expect(await firstNonEmptyPage(QUERY, list)).toMatchObject({
      value: { sessions: [FOUND], nextCursor: 97 },
    });
    expect(asked).toEqual([undefined, 99, 98]);
  });

  it("ends with the last page", async () => {
    const { asked, list } = pagesOf(2, 9);
    expect(await firstNonEmptyPage(QUERY, list)).toMatchObject({
      value: { sessions: [], nextCursor: null },
    });
    expect(asked).toHaveLength(2);
  });

  it("asks for a bounded number of pages, and says where to go on", async () => {
    const { asked, list } = pagesOf(1_000, 900);
    expect(await firstNonEmptyPage(QUERY, list)).toMatchObject({
      value: { sessions: [], nextCursor: 92 },
    });
    expect(asked).toHaveLength(8);
  });

  it("hands on a refusal", async () => {
    const refused = { ok: false, failure: { code: "internal" } } as const;
    expect(await firstNonEmptyPage(QUERY, async () => refused as never)).toBe(refused);
  });
});
