/**
 * Data of release 0.1.0 under today's code, and under a later release with a newer schema: today's
 * code with one more migration at the end of its list.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildWorker } from "../../scripts/build-worker.ts";
import { startLocalServer, type LocalServer } from "../../scripts/local-server.ts";
import { SCHEMA_VERSION } from "../../src/storage/migrations.ts";
import { addedMembers } from "../support/added-members.ts";
import { Client } from "../support/client.ts";
import {
  derivedCode,
  readReleasedSessions,
  restoreReleased,
  rowsIn,
  tokenAt,
  UNIQUE_KEY,
  type ReleasedSession,
  type Rows,
} from "../support/released-data.ts";
import { REPEATED } from "../support/released-scenario.ts";
import { temporaryFolder } from "../support/server.ts";

const STATES = [
  "draft",
  "in_progress",
  "awaiting_input",
  "awaiting_upload",
  "submitted",
  "needs_review",
  "approved",
  "finalized",
  "rejected",
  "cancelled",
];

const TOMORROW = SCHEMA_VERSION + 1;

const folder = temporaryFolder();
const sessions = readReleasedSessions();
let running: LocalServer | null = null;
afterAll(async () => {
  await running?.stop();
  folder[Symbol.dispose]();
});

/** Serves the folder with this code, and stops the server before it. */
async function serve(
  name: string,
  worker: string,
  vars: Readonly<Record<string, string>> = {},
): Promise<Client> {
  await running?.stop();
  const dataFolder = join(folder.path, name);
  const options = { port: 0, host: "127.0.0.1", dataFolder, uniqueKey: UNIQUE_KEY };
  running = await startLocalServer({ ...options, worker, vars });
  if (running === null) throw new Error("the folder is taken");
  return new Client(fetch, running.url);
}

const tokenOf = ({ label, id, seqs }: ReleasedSession, participant = 1): string =>
  tokenAt({ id, participant, seq: seqs[participant] ?? 0 }, `${label} par_${participant}`);

const find = (label: string): ReleasedSession => {
  const found = sessions.find((one) => one.label === label);
  if (found === undefined) throw new Error(`there is no session ${label}`);
  return found;
};

const read = (client: Client, session: ReleasedSession, path = "") =>
  client.on(session, "GET", path, { token: tokenOf(session) });

/** Databases of sessions, with the schema version of each. */
const versions = (paths: readonly string[]): readonly unknown[] =>
  paths.flatMap((path) => rowsIn(path)["session"] ?? []).map((row) => row["schema_version"]);

const pathOf = (paths: readonly string[], { id }: ReleasedSession): string => {
  const hex = Buffer.from(id.slice("ses_".length), "base64url").toString("hex");
  return paths.find((path) => path.includes(hex)) ?? "";
};

/** Rows that existed before and do not exist unchanged now. */
function missingRows(
  before: Rows,
  after: Rows,
  allowed: readonly string[] = [],
): readonly string[] {
  return Object.entries(before).flatMap(([table, rows]) =>
    rows
      .filter((row) => {
        const compared = Object.entries(row).filter(([column]) => !allowed.includes(column));
        return !(after[table] ?? []).some((one) =>
          compared.every(
            ([column, value]) => JSON.stringify(one[column]) === JSON.stringify(value),
          ),
        );
      })
      .map((row) => `${table} ${JSON.stringify(row).slice(0, 200)}`),
  );
}

/** Today's code with a change: the released file is edited while it is bundled. */
async function buildWith(migration: string): Promise<string> {
  const path = join(import.meta.dirname, "../../src/storage/migrations.ts");
  const source = readFileSync(path, "utf8");
  const list = /(const MIGRATIONS\b.*?)(\n\];)/s;
  expect(source).toMatch(list);
  const planted = source.replace(list, (_, steps, end) => `${steps}\n  ${migration},${end}`);
  return buildWorker(undefined, { [path]: planted });
}

/**
 * Errors linked to /docs#code, which no longer exists since the documents are a site. Their texts
 * are for people and may improve; programs use `code` and the other members, which stay.
 */
function asAnsweredToday({ status, body }: ReleasedSession["answers"][string]): object {
  const relinked = JSON.parse(
    JSON.stringify(body).replaceAll('"type":"/docs#', '"type":"/docs/errors#'),
  );
  if (status < 400) return { status, body: relinked };
  const { title: _, detail: __, nextActions: ___, ...facts } = relinked;
  return { status, body: facts };
}

/**
 * Members that answers have gained since then. A new one is added here on purpose; none is changed
 * or dropped.
 */
const ADDED = new Set(["handoffs[].answeredAt", "handoffs[].declinedAt", "handoffs[].showTitle"]);

async function expectSameAnswers(client: Client): Promise<void> {
  const added = new Set<string>();
  for (const session of sessions) {
    for (const [path, then] of Object.entries(session.answers)) {
      const { status, body } = await read(client, session, path);
      expect({ status, body }, `${session.label} ${path}`).toMatchObject(asAnsweredToday(then));
      for (const one of addedMembers(body, then.body)) added.add(one);
    }
  }
  expect(added).toEqual(ADDED);
}

let today: string;
let tomorrow: string;
let broken: string;
beforeAll(async () => {
  const steps = [
    "`ALTER TABLE session ADD COLUMN planted TEXT`",
    "`CREATE TABLE planted (first_seq INTEGER PRIMARY KEY)`",
    "`INSERT INTO planted SELECT first_seq FROM commits`",
    '{ where: "jobs", run: `ALTER TABLE jobs ADD COLUMN planted TEXT` }',
  ];
  [today, tomorrow, broken] = await Promise.all([
    buildWorker(),
    buildWith(`[${steps.join(", ")}]`),
    buildWith(`[${steps.slice(0, 2).join(", ")}, "INSERT INTO nowhere VALUES (1)"]`),
  ]);
});

describe("data written by release 0.1.0", () => {
  let client: Client;
  beforeAll(async () => {
    restoreReleased(join(folder.path, "today"));
    // The release gave each name a queue of its own; today only a listed name has one.
    const agents = [{ name: "released-null" }, { name: "*" }];
    client = await serve("today", today, { AGENTS: JSON.stringify(agents) });
  });

  it("contains sessions in every state, with everything that sessions can contain, and no token", () => {
    const paths = restoreReleased(join(folder.path, "look"));
    const tables = paths.flatMap((path) =>
      Object.entries(rowsIn(path)).flatMap(([name, rows]) => (rows.length > 0 ? [name] : [])),
    );
    expect(sessions.map(({ label }) => label)).toEqual([...STATES, "expired", "gone"]);
    expect(new Set(tables)).toEqual(
      new Set([
        "checkpoints",
        "codes",
        "commits",
        "jobs",
        "offers",
        "session",
        "tombstone",
        "uploads",
      ]),
    );
    expect(new Set(versions(paths))).toEqual(new Set([1]));
  });

  it("is answered as it was then, on every path, with the same tokens", async () => {
    await expectSameAnswers(client);
  });

  it("refuses other tokens as it did, and repeats the answer to a repeated request", async () => {
    const session = find("in_progress");
    const wrong = tokenAt({ ...session, participant: 1, seq: session.seqs[1] ?? 0 }, "nobody's");
    const refused = await client.on(session, "GET", "", { token: wrong });
    expect([refused.status, refused.body.code]).toEqual([403, "token_invalid"]);

    const before = await read(client, session);
    const spent = tokenAt(
      { ...session, participant: 1, seq: session.spentSeq ?? 0 },
      "in_progress spent",
    );
    const again = await client.on(session, "PATCH", "", { ...REPEATED, token: spent });
    expect(again.status, again.text).toBe(200);
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    expect(again.body.resumeToken).toBe(tokenOf(session));
    expect(again.body.session.head).toBe(before.body.session.head);
  });

  it("opens a link, offers a waiting job, and stays gone if it was purged", async () => {
    const { code = "" } = find("in_progress");
    const page = await client.call("GET", `/h/${derivedCode(code)}`);
    expect(page.status, page.text).toBe(200);
    expect((await client.call("GET", `/h/${derivedCode("another")}`)).status).toBe(404);
    const claimed = await client.call("POST", "/agents/released-null/claim", { body: {} });
    expect(claimed.status, claimed.text).toBe(200);
    expect(claimed.body.input).toEqual({ ask: null });
    expect((await read(client, find("gone"))).status).toBe(410);
  });

  it("continues: each session that has not ended accepts its next write", async () => {
    for (const label of STATES.slice(0, 7)) {
      const session = find(label);
      const { head } = (await read(client, session)).body.session;
      const token = tokenOf(session);
      const resumed = await client.on(session, "POST", "/resume", { token, body: {} });
      expect(resumed.status, `${label} ${resumed.text}`).toBe(200);
      expect(resumed.body.session.head).toBeGreaterThan(head);
      const cancelled = await client.on(session, "POST", "/cancel", {
        token: resumed.body.resumeToken,
        body: {},
      });
      expect([label, cancelled.status, cancelled.body.session?.state]).toEqual([
        label,
        200,
        "cancelled",
      ]);
    }
  });
});

describe("a newer schema", () => {
  let paths: readonly string[];
  let client: Client;
  const before = new Map<string, Rows>();
  beforeAll(() => {
    paths = restoreReleased(join(folder.path, "moved"));
    for (const path of paths) before.set(path, rowsIn(path));
  });

  // Shows M-12.
  it("leaves older data as it is if its migration fails half-way", async () => {
    client = await serve("moved", broken);
    for (let attempt = 1; attempt <= 2; attempt++) {
      const failed = await read(client, find("in_progress"));
      expect([failed.status, failed.body.code]).toEqual([500, "internal"]);
    }
    for (const path of paths) expect(rowsIn(path)).toEqual(before.get(path));
  });

  it("leaves older data as it is for a request without a valid token", async () => {
    client = await serve("moved", tomorrow);
    const session = find("in_progress");
    const unknownToken = tokenAt({ ...session, participant: 1, seq: 1 }, "nobody's");
    const refused = await client.on(session, "GET", "", { token: unknownToken });
    expect([refused.status, refused.body.code]).toEqual([403, "token_invalid"]);
    for (const path of paths) expect(rowsIn(path)).toEqual(before.get(path));
  });

  // Shows M-12.
  it("migrates a session at its first request, and no other", async () => {
    const requested = find("in_progress");
    expect((await read(client, requested)).body).toMatchObject(
      requested.answers[""]?.body as object,
    );
    expect(versions([pathOf(paths, requested)])).toEqual([TOMORROW]);
    const others = paths.filter((path) => path !== pathOf(paths, requested));
    expect(new Set(versions(others))).toEqual(new Set([1]));
  });

  // Shows M-12.
  it("answers every session as before, and keeps every row", async () => {
    await expectSameAnswers(client);
    expect(new Set(versions(paths))).toEqual(new Set([TOMORROW]));
    for (const path of paths) {
      expect(missingRows(before.get(path) ?? {}, rowsIn(path), ["schema_version"]), path).toEqual(
        [],
      );
    }
    const planted = rowsIn(pathOf(paths, find("in_progress")));
    expect(planted["planted"]?.length).toBe(planted["commits"]?.length);
    expect(Object.keys(planted["jobs"]?.[0] ?? {})).toContain("planted");
  });

  // Shows M-13.
  it("is refused by the release before it, which changes nothing", async () => {
    const migrated = paths.map(rowsIn);
    client = await serve("moved", today);
    for (const session of sessions.filter(({ label }) => label !== "gone")) {
      const refused = await read(client, session);
      expect([refused.status, refused.body.code]).toEqual([503, "overloaded"]);
      expect(refused.body.detail).toMatch(/newer release/);
      expect(refused.headers.get("Retry-After")).toBe("30");
      const token = tokenOf(session);
      const write = { token, key: "a-key-of-today", body: { fields: { city: "Rome" } } };
      expect((await client.on(session, "PATCH", "", write)).status).toBe(503);
    }
    expect(paths.map(rowsIn)).toEqual(migrated);
  });
});
