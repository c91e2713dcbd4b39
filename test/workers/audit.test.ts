import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Answer, CreatedSession } from "../support/client";
import { client } from "../support/worker";

interface Event {
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  readonly actor: { readonly kind: string; readonly id: string };
}

const MINUTE_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2030, 0, 1) });
});
afterEach(() => {
  vi.useRealTimers();
});

const later = (): unknown => vi.setSystemTime(Date.now() + MINUTE_MS);

/** Created at 00:00, handed off at 00:01, filled by `guest` at 00:02, paused twice at 00:03. */
async function createAudited(): Promise<CreatedSession> {
  const session = await client.create({ actor: { id: "maker" }, fields: { a: 1 } });
  later();
  const handedOff = await client.on(session, "POST", "/handoffs", {
    token: session.token,
    body: { to: "agent", scopes: ["fill"], actor: { id: "guest" } },
  });
  later();
  await client.on(session, "PATCH", "", {
    token: handedOff.body.participantToken as string,
    body: { fields: { a: 2 } },
  });
  later();
  const once = await client.on(session, "POST", "/pause", {
    token: handedOff.body.resumeToken as string,
    body: {},
  });
  const twice = await client.on(session, "POST", "/pause", {
    token: once.body.resumeToken as string,
    body: {},
  });
  return { ...session, token: twice.body.resumeToken as string };
}

const audit = (
  session: CreatedSession,
  query = "",
  headers: Record<string, string> = {},
): Promise<Answer> =>
  client.on(session, "GET", `/audit${query}`, { token: session.token, headers });

const typesIn = (answer: Answer): readonly string[] =>
  (answer.body.events as Event[]).map(({ type }) => type);

const EVERYTHING = [
  "session.created",
  "fields.updated",
  "token.issued",
  "handoff.created",
  "token.issued",
  "fields.updated",
  "session.paused",
  "session.paused",
];

describe("the audit view", () => {
  // Shows E-12.
  it("is the whole log without a filter", async () => {
    const answer = await audit(await createAudited());
    expect(typesIn(answer)).toEqual(EVERYTHING);
    expect(answer.body).toMatchObject({ head: 8, nextCursor: 8, more: false });
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
  });

  it.each([
    ["type=token.*", ["token.issued", "token.issued"]],
    ["type=handoff.created,session.created", ["session.created", "handoff.created"]],
    ["actorId=guest", ["fields.updated"]],
    ["actorKind=agent", EVERYTHING],
    ["actor=agent", EVERYTHING],
    ["actor=guest", ["fields.updated"]],
    ["actor=agent:guest", ["fields.updated"]],
    ["actor=human:guest", []],
    ["actorKind=human", []],
    ["actorKind=system", []],
    ["actorId=maker&type=fields.*", ["fields.updated"]],
    ["outcome=skipped", ["session.paused"]],
    ["outcome=success&type=session.*", ["session.created", "session.paused"]],
    ["outcome=failure", []],
    ["before=2030-01-01T00:01:00Z", EVERYTHING.slice(0, 3)],
    ["after=2030-01-01T00:03:00Z", EVERYTHING.slice(6)],
    ["after=2030-01-01T00:01:00Z&before=2030-01-01T00:02:00Z", EVERYTHING.slice(3, 5)],
    ["after=2030-01-01T01:03:00%2B01:00", EVERYTHING.slice(6)],
    ["after=2030-01-01", EVERYTHING],
    ["after=2030-01-02", []],
    ["cursor=6", EVERYTHING.slice(6)],
    ["cursor=6&outcome=skipped", ["session.paused"]],
    // Shows E-12.
  ])("filtered by %s contains only matching events", async (query, expected) => {
    const answer = await audit(await createAudited(), `?${query}`);
    expect(answer.status, answer.text).toBe(200);
    expect(typesIn(answer)).toEqual(expected);
  });

  // Shows E-12.
  it("pages by cursor without gap or repeat, filtered or not", async () => {
    const session = await createAudited();
    for (const filter of ["", "&type=fields.*,session.*"]) {
      const whole = typesIn(await audit(session, `?limit=100${filter}`));
      const seen: string[] = [];
      let cursor = 0;
      for (let more = true; more; ) {
        const page = await audit(session, `?limit=1&cursor=${cursor}${filter}`);
        seen.push(...typesIn(page));
        ({ more, nextCursor: cursor } = page.body);
      }
      expect(seen).toEqual(whole);
    }
  });

  // Shows E-12.
  it("comes as JSONL by Accept, with the same filters", async () => {
    const session = await createAudited();
    const answer = await audit(session, "?type=token.*", { Accept: "application/jsonl" });
    expect(answer.headers.get("Content-Type")).toBe("application/jsonl");
    const lines = answer.text.split("\n").slice(0, -1);
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      (await audit(session, "?type=token.*")).body.events,
    );
  });

  // Shows T-14.
  it("shows tokens by a short hash and never as they are", async () => {
    const session = await createAudited();
    const answer = await audit(session);
    expect(answer.text).not.toContain("rtok_");
    for (const event of (await audit(session, "?type=token.*")).body.events) {
      expect(event.payload.tokenHash).toMatch(/^[\w-]{12}$/);
      expect(event.payload.participant).toMatch(/^par_\d$/);
    }
  });

  it.each([
    "actorKind=robot",
    "outcome=maybe",
    "after=yesterday",
    "before=2030-13-01T00:00:00Z",
    "after=2030-01-01T00:00:00",
    "cursor=-1",
    "cursor=x",
    "limit=0",
    "limit=20001",
  ])("with %s is 400", async (query) => {
    const answer = await audit(await client.create(), `?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe("invalid_request");
  });
});
