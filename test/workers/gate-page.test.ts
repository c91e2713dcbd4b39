/** The person's page and its routes, against every way in which a person can lose access. */
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { expectNoContent, leaksIn } from "../support/gate/marker";
import { PAGE_ACCESS_PATHS, openLink, type OpenedLink } from "../support/gate/page-access-paths";
import { LOSSES } from "../support/gate/fixture";

afterEach(() => {
  vi.useRealTimers();
});

/** The page status for a former link holder; from another network the link is unknown. */
const STATUSES: Readonly<Record<(typeof LOSSES)[number], readonly number[]>> = {
  revoked: [410],
  "its maker revoked": [410],
  "past its own end": [410],
  "session expired": [410],
  "fenced by a later resume": [409],
  "bound to another network": [403, 404, 410],
  "bound to another principal": [403, 404, 410],
};

describe.each(LOSSES)("a person without access (%s)", (loss) => {
  let pageView: OpenedLink;
  let now: number;
  beforeAll(async () => {
    pageView = await openLink(loss);
    now = Date.now();
    vi.useRealTimers();
  });

  it.each(PAGE_ACCESS_PATHS)("gets nothing by $name", async ({ request }) => {
    vi.useFakeTimers({ toFake: ["Date"], now });
    const seen = await request(pageView);
    expectNoContent(seen, pageView.marker);
    expect(STATUSES[loss]).toContain(seen.status);
  });

  it("learns from the live route that access has ended, and nothing else", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now });
    const { status, html } = await pageView.person.go("GET", `/h/${pageView.code}/live`);
    expectNoContent({ text: html }, pageView.marker);
    expect([status, html.startsWith("event: over\n") || status === 204]).toEqual([status, true]);
  });

  it("sees nothing of the session by the link itself", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now });
    pageView.person.cookies.clear();
    const { html } = await pageView.person.go("GET", `/h/${pageView.code}`);
    expectNoContent({ text: html }, pageView.marker);
  });
});

describe("a person with access", () => {
  it.each(PAGE_ACCESS_PATHS.filter(({ shows }) => shows))(
    "gets content by $name",
    async ({ request }) => {
      const pageView = await openLink("revoked", false);
      const seen = await request(pageView);
      expect(seen.status, seen.text).toBe(200);
      expect(leaksIn(seen.text, pageView.marker)).not.toEqual([]);
    },
  );
});
