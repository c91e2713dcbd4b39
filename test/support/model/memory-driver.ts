/**
 * The object's handlers on node:sqlite, without the platform: one request after another, a clock that only
 * moves if a plan says so. What the gateway adds (drawing, hashing and sealing of secrets) is plain text,
 * because no law depends on it being secret.
 */
import { encodeBatch } from "../../../src/domain/log/append";
import { sessionIdFromHex, type RequestHash, type TokenHash } from "../../../src/domain/ids";
import { canonicalJson } from "../../../src/domain/json";
import type { Credential } from "../../../src/domain/participants/admission";
import { ok } from "../../../src/domain/result";
import type { Command } from "../../../src/domain/session/command";
import { DEFAULT_SETTINGS } from "../../../src/domain/settings";
import { announceResume, recordExpiry } from "../../../src/object/due-tasks";
import type { Refusal, Reply, WriteOutcome } from "../../../src/object/messages";
import { executeRead as answerRead } from "../../../src/object/read-handlers";
import type { SessionContext } from "../../../src/object/session-context";
import { executeWrite, executeAppend } from "../../../src/object/write-handlers";
import { BlobStore } from "../../../src/storage/blob-store";
import { CheckpointStore } from "../../../src/storage/checkpoint-store";
import type { CommitRecord } from "../../../src/storage/commit-log";
import { JobStore } from "../../../src/storage/job-store";
import { OnceStore } from "../../../src/storage/once-store";
import { PrivateStore } from "../../../src/storage/private-store";
import { SessionStore } from "../../../src/storage/session-store";
import type { SqlPort } from "../../../src/storage/sql-port";
import { UploadStore } from "../../../src/storage/upload-store";
import { openSqlite } from "../sqlite-port";
import {
  NO_ANSWER,
  type Answer,
  type DrivenSession,
  type Driver,
  type ModelRequest,
  type Snapshot,
  type StoredState,
} from "./driver.ts";
import { viewOf, type Announcement, type LoggedEvent, type SessionView } from "./history.ts";
import { createBodyOf, type SessionSettings } from "./plan.ts";
import { cellsIn, KEEP_TRIMMED, readStored, tablesIn } from "./stored.ts";

const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 0, 1);
/** No jitter either way. */
const NO_JITTER = 0.5;

export class MemoryDriver implements Driver {
  readonly losesMessages = false;
  #tick = 0;
  #session: MemorySession | null = null;

  now(): number {
    this.#tick += 1;
    return this.#tick;
  }

  clock(): readonly [number, number] {
    const now = this.#session?.now ?? START;
    return [now, now];
  }

  tokenParts(token: string) {
    const { participant, issuedSeq } = credentialOf(token);
    return { participant, seq: issuedSeq };
  }

  async create(settings: SessionSettings): Promise<DrivenSession> {
    this.#session = new MemorySession(settings, () => this.now());
    return this.#session;
  }
}

class MemorySession implements DrivenSession {
  readonly id: string;
  readonly token: string;
  readonly created: Answer;
  now = START;
  readonly #sql = openSqlite();
  readonly #announced: { record: CommitRecord; tick: number }[] = [];
  readonly #context: SessionContext;
  /** The object of each child, by its id. */
  readonly #children = new Map<string, SessionContext>();
  #drawn = 0;

  constructor(settings: SessionSettings, tick: () => number) {
    this.#context = contextOn(this.#sql, "ab".repeat(32), (record) =>
      this.#announced.push({ record, tick: tick() }),
    );
    this.id = this.#context.id;
    const secret = this.#draw();
    const request = {
      args: createBodyOf(settings),
      token: hashOf(secret),
      request: null,
      sealed: null,
    };
    const reply = executeWrite(this.#context, { kind: "create", ...request }, this.now);
    if (!reply.ok) throw new Error(`create was refused: ${reply.failure.code}`);
    for (const statement of KEEP_TRIMMED) this.#sql.run(statement);
    const { participant, issuedSeq, session } = reply.value;
    this.token = tokenOf(participant, issuedSeq, secret);
    this.created = { ...NO_ANSWER, token: this.token, shown: viewIn(session) };
  }

  async send(request: ModelRequest): Promise<Answer> {
    const { name, token, key, ifMatch, args } = request;
    const credential = credentialOf(token);
    const identity = canonicalJson([name, args as never, ifMatch, key]) as RequestHash;
    const keyed = key === null ? null : { hash: key, request: identity };
    switch (name) {
      case "get": {
        const reply = answerRead(this.#context, { kind: "get", credential }, this.now);
        return reply.ok ? { ...NO_ANSWER, shown: viewIn(reply.value) } : refused(reply);
      }
      case "events": {
        const { after, limit } = args as { after: number; limit: number };
        const query = { after, limit, types: [] };
        const reading = { kind: "events", operation: "events", credential, query } as const;
        const reply = answerRead(this.#context, reading, this.now);
        return reply.ok ? { ...NO_ANSWER, events: eventsIn(reply.value.texts) } : refused(reply);
      }
      case "append": {
        const { events, expectedHead = null } = args as { events: never; expectedHead?: number };
        const batch = { credential, batch: encodeBatch(events), expectedHead, ifMatch, key: keyed };
        const reply = executeAppend(this.#context, batch, this.now);
        if (!reply.ok) return refused(reply);
        const { first, replayed } = reply.value;
        return { ...NO_ANSWER, replayed, first };
      }
      case "reportStop": {
        const report = args as never;
        const stop = { kind: "reportStop", credential, report, key: keyed } as const;
        const reply = executeWrite(this.#context, stop, this.now);
        if (!reply.ok) return refused(reply);
        return { ...NO_ANSWER, replayed: reply.value.replayed, first: reply.value.seq };
      }
      case "purge":
        return this.#purge(credential, ifMatch);
      default:
        return this.#command({ operation: name, ...args } as unknown as Command, {
          credential,
          ifMatch,
          request: key === null ? null : identity,
        });
    }
  }

  #command(
    command: Command,
    given: { credential: Credential; ifMatch: number | null; request: RequestHash | null },
  ): Answer {
    const isFork = command.operation === "fork";
    const secrets = [this.#draw(), this.#draw()] as const;
    const reply = executeWrite(
      this.#context,
      {
        kind: "command",
        command,
        ...given,
        next: hashOf(secrets[0]),
        made: isFork || command.operation === "handoff" ? hashOf(secrets[1]) : null,
        child: isFork ? this.#drawn.toString(16).padStart(64, "0") : null,
        sealed: new TextEncoder().encode(JSON.stringify(secrets)),
      },
      this.now,
    );
    if (reply.ok && isFork) this.#createChild(String(reply.value.outcome["child"]));
    return answered(reply, secrets);
  }

  /** The second step of a fork: as the object does it, and again without harm. */
  #createChild(hex: string): void {
    const { store } = this.#context;
    const loaded = store.load();
    if (loaded?.plan == null) {
      if (!this.#children.has(hex)) throw new Error("a fork was answered without its child");
      return;
    }
    const context = contextOn(openSqlite(), hex, () => {});
    const { plan } = loaded;
    for (const attempt of ["first", "second"]) {
      const child = executeWrite(context, { kind: "createChild", plan }, this.now);
      if (!child.ok || child.value?.id !== context.id) {
        throw new Error(`the ${attempt} attempt created no child`);
      }
    }
    this.#children.set(hex, context);
    store.update({ ...loaded, plan: null });
  }

  #purge(credential: Credential, ifMatch: number | null): Answer {
    const admitted = executeWrite(this.#context, { kind: "purge", credential, ifMatch }, this.now);
    if (!admitted.ok) return refused(admitted);
    for (const table of tablesIn(this.#sql)) this.#sql.run(`DROP TABLE ${table}`);
    this.#context.store.resetCache();
    return NO_ANSWER;
  }

  async wait(minutes: number, alarm: boolean): Promise<void> {
    this.now += minutes * MINUTE_MS;
    if (!alarm || !this.#context.store.exists()) return;
    recordExpiry(this.#context, this.now);
    announceResume(this.#context, this.now);
  }

  async snapshot(): Promise<Snapshot> {
    const [row] = this.#sql.run("SELECT total_changes() AS changes");
    return { cells: cellsIn(this.#sql), rowsWritten: Number(row?.["changes"]) };
  }

  async stored(): Promise<StoredState> {
    const stored = readStored(this.#sql);
    const ticks = new Map(this.#announced.map(({ record, tick }) => [record.commit.first, tick]));
    const commits = stored.commits.map((commit) => {
      const committed = ticks.get(commit.first);
      return committed === undefined ? commit : { ...commit, committed };
    });
    return { ...stored, commits };
  }

  announcements(): readonly Announcement[] {
    return this.#announced.map(({ record: { commit, text } }) => ({
      first: commit.first,
      last: commit.last,
      text,
    }));
  }

  #draw(): string {
    this.#drawn += 1;
    return `secret-${this.#drawn}`;
  }
}

const contextOn = (
  sql: SqlPort,
  hex: string,
  announce: SessionContext["announce"],
): SessionContext => ({
  id: sessionIdFromHex(hex),
  store: new SessionStore(sql, sessionIdFromHex(hex)),
  checkpoints: new CheckpointStore(sql),
  uploads: new UploadStore(sql),
  blobs: new BlobStore(sql),
  jobs: new JobStore(sql),
  privates: new PrivateStore(sql),
  onces: new OnceStore(sql),
  tombstone: () => null,
  resolveOrigin: (from = { address: null, principal: null }) => from,
  settings: () => DEFAULT_SETTINGS,
  canCreateSession: () => true,
  agents: () => ok([]),
  random: () => NO_JITTER,
  online: () => new Set(),
  announce,
});

const hashOf = (secret: string): TokenHash => `hash of ${secret}` as TokenHash;

const tokenOf = (participant: number, issuedSeq: number, secret: string): string =>
  `${participant}/${issuedSeq}/${secret}`;

function credentialOf(token: string): Credential {
  const [participant, issuedSeq, secret = ""] = token.split("/");
  return { participant: Number(participant), issuedSeq: Number(issuedSeq), hash: hashOf(secret) };
}

function refused({ failure, current, missed }: Refusal): Answer {
  const shown = current !== undefined && "fields" in current ? current : null;
  return {
    ...NO_ANSWER,
    code: failure.code,
    shown: shown === null ? null : viewOf(shown as never),
    from: "from" in failure ? String(failure.from) : null,
    missed: (missed as unknown as readonly LoggedEvent[] | undefined) ?? null,
  };
}

function answered(reply: Reply<WriteOutcome>, drawn: readonly [string, string]): Answer {
  if (!reply.ok) return refused(reply);
  const { participant, issuedSeq, outcome, replayed, sealed, session, page } = reply.value;
  const [own, others] = replayed
    ? (JSON.parse(new TextDecoder().decode(sealed ?? new Uint8Array())) as [string, string])
    : drawn;
  const made = outcome["participant"];
  return {
    ...NO_ANSWER,
    replayed,
    token: tokenOf(participant, issuedSeq, own),
    madeToken: typeof made === "number" ? tokenOf(made, issuedSeq, others) : null,
    childToken: typeof outcome["child"] === "string" ? others : null,
    shown: viewIn(session),
    events: page === null ? null : eventsIn(page.texts),
  };
}

/** Null if only the outline is shown. */
function viewIn({ json }: { readonly json: string }): SessionView | null {
  const session = JSON.parse(json) as SessionView;
  return session.fields === undefined ? null : viewOf(session);
}

const eventsIn = (texts: readonly string[]): readonly LoggedEvent[] =>
  texts.flatMap((text) => text.split("\n")).map((line) => JSON.parse(line) as LoggedEvent);
