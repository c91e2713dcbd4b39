import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionId } from "../../../src/domain/ids.ts";
import { LIMITS } from "../../../src/domain/limits.ts";
import { parseWebhookUrl } from "../../../src/domain/notices/webhook-url.ts";
import { NOTICE_TYPES } from "../../../src/domain/notices/catalogue.ts";
import { ATTEMPT_DELAYS_MS, nextAttemptAt } from "../../../src/domain/notices/delivery.ts";
import { FORMATS, renderNotice } from "../../../src/domain/notices/formats.ts";
import type { Notice } from "../../../src/domain/notices/notice.ts";
import { DeliveryStore } from "../../../src/storage/delivery-store.ts";
import { openSqlite } from "../../support/sqlite-port.ts";

const SESSION = `ses_${"A".repeat(43)}` as SessionId;
const NOW = Date.parse("2026-11-16T09:00:00.000Z");
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const notice = (seq = 8, more: Partial<Notice["data"]> = {}): Notice => ({
  type: "handoff.created",
  timestamp: "2026-11-16T09:00:00.000Z",
  data: {
    sessionId: SESSION,
    seq,
    state: "in_progress",
    waiting: { for: "person", since: "2026-11-16T09:00:00.000Z" },
    title: "Water damage <!channel> *Oak* Street",
    labels: {},
    actor: { kind: "agent", id: "intake" },
    participant: "par_1",
    ...more,
  },
});
const withLabel = (length: number): Notice => notice(8, { labels: { a: "x".repeat(length) } });
const bytes = (text: string): number => new TextEncoder().encode(text).length;

const fresh = (): DeliveryStore => {
  const store = new DeliveryStore(openSqlite(), (_, bytes) => bytes);
  store.save({
    version: 1,
    settings: {
      notices: [...NOTICE_TYPES],
      format: "standard",
      labels: {},
      origin: "https://hooks.example.com",
      url: "",
      secrets: [],
    },
    home: { session: "00" },
    status: "active",
    createdAt: NOW,
    endsAt: null,
    failingSince: null,
    unreported: null,
  });
  return store;
};

describe("the schedule of attempts", () => {
  // Shows NO-5.
  it("is at once, 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, and then no more", () => {
    const waits = ATTEMPT_DELAYS_MS.map(
      (_, attempt) => (nextAttemptAt(attempt, {}, NOW, 0.5) ?? 0) - NOW,
    );
    const hours = [2, 5, 10, 14, 20, 24].map((count) => count * HOUR_MS);
    expect(waits).toEqual([0, 5_000, 5 * MINUTE_MS, 30 * MINUTE_MS, ...hours]);
    expect(nextAttemptAt(ATTEMPT_DELAYS_MS.length, {}, NOW, 0.5)).toBeNull();
  });

  it("has a jitter of a tenth either way", () => {
    expect(nextAttemptAt(1, {}, NOW, 0)).toBe(NOW + 4_500);
    expect(nextAttemptAt(1, {}, NOW, 1)).toBe(NOW + 5_500);
  });

  // Shows NO-5.
  it("respects a longer Retry-After, up to a day", () => {
    expect(nextAttemptAt(1, { retryAfter: "120" }, NOW, 0.5)).toBe(NOW + 120_000);
    expect(nextAttemptAt(2, { retryAfter: "1" }, NOW, 0.5)).toBe(NOW + 5 * MINUTE_MS);
    expect(nextAttemptAt(1, { retryAfter: "99999999" }, NOW, 0.5)).toBe(NOW + 24 * HOUR_MS);
    expect(nextAttemptAt(1, { retryAfter: "soon" }, NOW, 0.5)).toBe(NOW + 5_000);
  });
});

describe("a webhook URL", () => {
  it("is allowed by its host alone or with its port, also over plain http", () => {
    expect(parseWebhookUrl("http://10.0.0.5:9000/a", ["10.0.0.5:9000"]).ok).toBe(true);
    expect(parseWebhookUrl("http://10.0.0.5:9001/a", ["10.0.0.5:9000"]).ok).toBe(false);
    expect(parseWebhookUrl("https://intranet/a", ["intranet"]).ok).toBe(true);
    expect(parseWebhookUrl("https://hooks.example.com/a", []).ok).toBe(true);
  });
});

describe("a posted message", () => {
  it.each(FORMATS)("equals the recorded message for %s", (format) => {
    const file = join(import.meta.dirname, "messages", `${format}.json`);
    const posted = renderNotice(format, notice(), "https://baton.example/h/ABCD-EFGH-JKMN");
    // The rules of its channel are checked in channels.test.ts.
    const { holds: _, ...stored } = JSON.parse(readFileSync(file, "utf8"));
    const isJson = posted.headers["Content-Type"] === "application/json";
    expect({ ...posted, body: isJson ? JSON.parse(posted.body) : posted.body }).toEqual(stored);
  });

  it("names no link if there is none", () => {
    for (const format of FORMATS) {
      const { headers, body } = renderNotice(format, notice(), null);
      expect(JSON.stringify([headers, body])).not.toContain("/h/");
    }
  });

  it("holds webhookBytes and drops labels for more", () => {
    const rest = bytes(renderNotice("standard", withLabel(0), null).body);
    const most = renderNotice("standard", withLabel(LIMITS.webhookBytes - rest), null).body;
    const past = renderNotice("standard", withLabel(LIMITS.webhookBytes - rest + 1), null).body;
    expect(bytes(most)).toBe(LIMITS.webhookBytes);
    expect(JSON.parse(past).data.labels).toEqual({});
  });
});

describe("the deliveries of an endpoint", () => {
  it("are one per session and seq, however often they are added", () => {
    const store = fresh();
    expect(store.add({ notice: notice(8) }, "pending", NOW, NOW)).toBe(true);
    expect(store.add({ notice: notice(8) }, "pending", NOW, NOW)).toBe(false);
    expect(store.list(Number.MAX_SAFE_INTEGER, 10)).toHaveLength(1);
  });

  it("are at most as many as the limit, and not one more", () => {
    const store = fresh();
    const most = 5;
    for (let seq = 1; seq <= most + 1; seq += 1) {
      store.add({ notice: notice(seq) }, "given_up", null, NOW);
      store.evictOldest(most, NOW);
    }
    expect(LIMITS.deliveries).toBe(10_000);
    const stored = store.list(Number.MAX_SAFE_INTEGER, 10).map(({ seq }) => seq);
    expect(stored).toEqual([6, 5, 4, 3, 2]);
  });

  it("that are pending are not evicted", () => {
    const store = fresh();
    store.add({ notice: notice(1) }, "pending", NOW, NOW);
    for (let seq = 2; seq <= 4; seq += 1) store.add({ notice: notice(seq) }, "given_up", null, NOW);
    store.evictOldest(2, NOW);
    expect(store.list(Number.MAX_SAFE_INTEGER, 10).map(({ seq }) => seq)).toEqual([4, 3, 1]);
  });
});
