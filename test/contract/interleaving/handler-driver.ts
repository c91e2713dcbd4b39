/**
 * The object's handlers on node:sqlite, with what the gateway adds (drawing, hashing and sealing of
 * secrets) played by plain text, because nothing here depends on it being secret.
 */
import { sessionIdFromHex, type RequestHash, type TokenHash } from "../../../src/domain/ids";
import { canonicalJson } from "../../../src/domain/json";
import type { Credential } from "../../../src/domain/admission";
import { DEFAULT_SETTINGS } from "../../../src/domain/settings";
import { createSession } from "../../../src/object/create";
import { append } from "../../../src/object/events";
import { recordExpiry } from "../../../src/object/expire";
import type { Refusal, Reply, Written } from "../../../src/object/messages";
import { admitPurge, getSession } from "../../../src/object/read";
import type { Desk } from "../../../src/object/reception";
import { write } from "../../../src/object/write";
import { SessionStore } from "../../../src/storage/session-store";
import { openSqlite } from "../../support/sqlite-port";
import type { Driver, PlayedAnswer, PlayedRequest, Stored } from "./driver";
import { dump, readStored, tablesIn } from "./stored";

const MINUTE_MS = 60_000;
const TTL_MS = 60 * MINUTE_MS;
const BEGINNING = Date.UTC(2026, 0, 1);

const NOTHING: PlayedAnswer = {
  code: null,
  replayed: false,
  token: null,
  made: null,
  version: null,
  missed: [],
  appended: null,
};

export class HandlerDriver implements Driver {
  readonly #sql = openSqlite();
  readonly #desk: Desk = {
    id: sessionIdFromHex("ab".repeat(32)),
    store: new SessionStore(this.#sql),
    online: () => new Set(),
    announce: () => {},
  };
  #now = BEGINNING;
  #drawn = 0;

  async begin(review: { required: boolean; approvals: number }) {
    const secret = this.#draw();
    const request = {
      args: { review, ttlMs: TTL_MS },
      token: hashOf(secret),
      request: null,
      sealed: null,
    };
    const reply = createSession(this.#desk, request, DEFAULT_SETTINGS, this.#now);
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
      const reply = append(
        this.#desk,
        { credential, events, expectedHead, ifMatch, key: keyed },
        this.#now,
      );
      if (!reply.ok) return refused(reply);
      const { first, last, replayed } = reply.value;
      return { ...NOTHING, replayed, appended: [first, last] };
    }
    const secrets = [this.#draw(), this.#draw()] as const;
    const reply = write(
      this.#desk,
      {
        credential,
        command,
        ifMatch,
        request: key === null ? null : identity,
        next: hashOf(secrets[0]),
        made: command.operation === "handoff" ? hashOf(secrets[1]) : null,
        sealed: new TextEncoder().encode(JSON.stringify(secrets)),
      },
      DEFAULT_SETTINGS,
      this.#now,
    );
    return answered(reply, secrets);
  }

  async look(token: string): Promise<PlayedAnswer> {
    const reply = getSession(this.#desk, credentialOf(token), this.#now);
    return reply.ok ? { ...NOTHING, version: reply.value.version } : refused(reply);
  }

  async wait(minutes: number, alarm: boolean): Promise<void> {
    this.#now += minutes * MINUTE_MS;
    if (alarm && this.#desk.store.exists()) recordExpiry(this.#desk, this.#now);
  }

  async snapshot(): Promise<string> {
    return dump(this.#sql);
  }

  async stored(): Promise<Stored> {
    return readStored(this.#sql);
  }

  #purge(credential: Credential, ifMatch: number | null): PlayedAnswer {
    const admitted = admitPurge(this.#desk, credential, ifMatch, this.#now);
    if (!admitted.ok) return refused(admitted);
    for (const table of tablesIn(this.#sql)) this.#sql.run(`DROP TABLE ${table}`);
    this.#desk.store.forget();
    return NOTHING;
  }

  #draw(): string {
    this.#drawn += 1;
    return `secret-${this.#drawn}`;
  }
}

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

function answered(reply: Reply<Written>, drawn: readonly [string, string]): PlayedAnswer {
  if (!reply.ok) return refused(reply);
  const { participant, issuedSeq, outcome, replayed, sealed, session } = reply.value;
  const [own, others] = replayed
    ? (JSON.parse(new TextDecoder().decode(sealed ?? new Uint8Array())) as [string, string])
    : drawn;
  const number = outcome["participant"];
  return {
    ...NOTHING,
    replayed,
    token: tokenOf(participant, issuedSeq, own),
    made: typeof number === "number" ? { number, token: tokenOf(number, issuedSeq, others) } : null,
    version: session.version,
  };
}
