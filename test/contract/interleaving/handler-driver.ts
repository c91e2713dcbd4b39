/**
 * The object's handlers on node:sqlite, with what the gateway adds (drawing, hashing and sealing of
 * secrets) played by plain text, because nothing here depends on it being secret.
 */
import { encodeBatch } from "../../../src/domain/log/append";
import { sessionIdFromHex, type RequestHash, type TokenHash } from "../../../src/domain/ids";
import { canonicalJson } from "../../../src/domain/json";
import type { Credential } from "../../../src/domain/participants/admission";
import { ok } from "../../../src/domain/result";
import { DEFAULT_SETTINGS } from "../../../src/domain/settings";
import { announceResume, recordExpiry } from "../../../src/object/due-tasks";
import type { SessionContext } from "../../../src/object/session-context";
import type { Refusal, Reply, WriteOutcome } from "../../../src/object/messages";
import { executeRead } from "../../../src/object/read-handlers";
import { executeWrite, executeAppend } from "../../../src/object/write-handlers";
import { BlobStore } from "../../../src/storage/blob-store";
import { CheckpointStore } from "../../../src/storage/checkpoint-store";
import { JobStore } from "../../../src/storage/job-store";
import type { CommitRecord } from "../../../src/storage/commit-log";
import { PrivateStore } from "../../../src/storage/private-store";
import { SessionStore } from "../../../src/storage/session-store";
import type { SqlPort } from "../../../src/storage/sql-port";
import { UploadStore } from "../../../src/storage/upload-store";
import { openSqlite } from "../../support/sqlite-port";
import type { Announced, Driver, PlayedAnswer, PlayedRequest, Stored } from "./driver";
import { SCHEMA } from "./plan";
import { dump, readStored, tablesIn } from "./stored";

const MINUTE_MS = 60_000;
const TTL_MS = 60 * MINUTE_MS;
/** No jitter either way. */
const DICE = 0.5;
const BEGINNING = Date.UTC(2026, 0, 1);

const NOTHING: PlayedAnswer = {
  code: null,
  replayed: false,
  token: null,
  made: null,
  child: null,
  floor: null,
  version: null,
  missed: [],
  appended: null,
};

export class HandlerDriver implements Driver {
  readonly #sql = openSqlite();
  readonly #announced: CommitRecord[] = [];
  readonly #room = roomOn(this.#sql, "ab".repeat(32), (record) => this.#announced.push(record));
  /** The object of each child, by its id. */
  readonly #children = new Map<string, SessionContext>();
  #now = BEGINNING;
  #drawn = 0;

  async begin(review: { required: boolean; approvals: number }) {
    const secret = this.#draw();
    const request = {
      args: { review, schema: SCHEMA, ttlMs: TTL_MS },
      token: hashOf(secret),
      request: null,
      sealed: null,
    };
    const reply = executeWrite(this.#room, { kind: "create", ...request }, this.#now);
    if (!reply.ok) throw new Error(`create was refused: ${reply.failure.code}`);
    const { participant, issuedSeq, session } = reply.value;
    return { token: tokenOf(participant, issuedSeq, secret), version: session.version };
  }

  async send(request: PlayedRequest): Promise<PlayedAnswer> {
    const { command, token, ifMatch, key } = request;
    const credential = credentialOf(token);
    if (command.operation === "purge") return this.#purge(credential, ifMatch);
    const identity = canonicalJson([command, ifMatch, key]) as RequestHash;
    if (command.operation === "append") {
      const events = Array.from({ length: command.events }, () => ({
        type: "play.tick",
        payload: {},
      }));
      const { expectedHead = null } = command;
      const keyed = key === null ? null : { hash: key, request: identity };
      const reply = executeAppend(
        this.#room,
        { credential, batch: encodeBatch(events), expectedHead, ifMatch, key: keyed },
        this.#now,
      );
      if (!reply.ok) return refused(reply);
      const { first, last, replayed } = reply.value;
      return { ...NOTHING, replayed, appended: [first, last] };
    }
    if (command.operation === "reportStop") {
      const { reason, attempt } = command;
      const keyed = key === null ? null : { hash: key, request: identity };
      const stop = { credential, report: { reason, attempt }, key: keyed };
      const reply = executeWrite(this.#room, { kind: "reportStop", ...stop }, this.#now);
      if (!reply.ok) return refused(reply);
      const { seq, replayed } = reply.value;
      return { ...NOTHING, replayed, appended: [seq, seq] };
    }
    const isFork = command.operation === "fork";
    const secrets = [this.#draw(), this.#draw()] as const;
    const reply = executeWrite(
      this.#room,
      {
        kind: "command",
        credential,
        command,
        ifMatch,
        request: key === null ? null : identity,
        next: hashOf(secrets[0]),
        made: isFork || command.operation === "handoff" ? hashOf(secrets[1]) : null,
        child: isFork ? this.#drawn.toString(16).padStart(64, "0") : null,
        sealed: new TextEncoder().encode(JSON.stringify(secrets)),
      },
      this.#now,
    );
    if (reply.ok && isFork) this.#bearChild(String(reply.value.outcome["child"]));
    return answered(reply, secrets);
  }

  async look(token: string): Promise<PlayedAnswer> {
    const query = { kind: "get", credential: credentialOf(token) } as const;
    const reply = executeRead(this.#room, query, this.#now);
    return reply.ok ? { ...NOTHING, version: reply.value.version } : refused(reply);
  }

  async wait(minutes: number, alarm: boolean): Promise<void> {
    this.#now += minutes * MINUTE_MS;
    if (!alarm || !this.#room.store.exists()) return;
    recordExpiry(this.#room, this.#now);
    announceResume(this.#room, this.#now);
  }

  async snapshot(): Promise<string> {
    return dump(this.#sql);
  }

  async stored(): Promise<Stored> {
    return readStored(this.#sql);
  }

  async announced(): Promise<readonly Announced[]> {
    return this.#announced.map(({ commit: { first, last }, text }) => ({ first, last, text }));
  }

  /** The second step of a fork: as the object does it, and again without harm. */
  #bearChild(hex: string): void {
    const { store } = this.#room;
    const loaded = store.load();
    if (loaded?.plan == null) {
      if (!this.#children.has(hex)) throw new Error("a fork was answered without its child");
      return;
    }
    const context = roomOn(openSqlite(), hex, () => {});
    const { plan } = loaded;
    for (const attempt of ["first", "second"]) {
      const child = executeWrite(context, { kind: "createChild", plan }, this.#now);
      if (!child.ok || child.value?.id !== context.id) {
        throw new Error(`the ${attempt} attempt made no child`);
      }
    }
    this.#children.set(hex, context);
    store.update({ ...loaded, plan: null });
  }

  #purge(credential: Credential, ifMatch: number | null): PlayedAnswer {
    const admitted = executeWrite(this.#room, { kind: "purge", credential, ifMatch }, this.#now);
    if (!admitted.ok) return refused(admitted);
    for (const table of tablesIn(this.#sql)) this.#sql.run(`DROP TABLE ${table}`);
    this.#room.store.resetCache();
    this.#announced.length = 0;
    return NOTHING;
  }

  #draw(): string {
    this.#drawn += 1;
    return `secret-${this.#drawn}`;
  }
}

const roomOn = (
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
  tombstone: () => null,
  resolveOrigin: (from = { address: null, principal: null }) => from,
  settings: () => DEFAULT_SETTINGS,
  canCreateSession: () => true,
  agents: () => ok([]),
  random: () => DICE,
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

const refused = ({ failure, current, missed = [] }: Refusal): PlayedAnswer => ({
  ...NOTHING,
  code: failure.code,
  version: current?.version ?? null,
  missed: missed.map(({ seq }) => seq),
});

function answered(reply: Reply<WriteOutcome>, drawn: readonly [string, string]): PlayedAnswer {
  if (!reply.ok) return refused(reply);
  const { participant, issuedSeq, outcome, replayed, sealed, session } = reply.value;
  const [own, others] = replayed
    ? (JSON.parse(new TextDecoder().decode(sealed ?? new Uint8Array())) as [string, string])
    : drawn;
  const number = outcome["participant"];
  const child = outcome["child"];
  const floor = outcome["floor"];
  return {
    ...NOTHING,
    replayed,
    token: tokenOf(participant, issuedSeq, own),
    made: typeof number === "number" ? { number, token: tokenOf(number, issuedSeq, others) } : null,
    child: typeof child === "string" ? { id: sessionIdFromHex(child), token: others } : null,
    floor: typeof floor === "number" ? floor : null,
    version: session.version,
  };
}
