/**
 * A person's way in: from a code to the link it stands for, and from a click to the credential that
 * the browser keeps. Misses are counted for the address they come from, before and after looking.
 */
import type { Failure } from "../domain/failure";
import { LIMITS } from "../domain/limits";
import { shardOf, type LinkState } from "../domain/link";
import type { LinkCode } from "../domain/link-code";
import { sessionIdFromHex } from "../domain/ids";
import type { Env } from "../env";
import type { DirectoryPort, LinkEntry, MissPort, SessionPort } from "../object/messages";
import type { Caller } from "./caller";
import { Guard } from "./guard";
import { formatCookie, parseCookie } from "./link-cookie";
import type { Presented } from "./presented";
import { drawSecret, hashAddress, hashCookieSecret, hashLinkCode } from "./secrets";

export type LinkAnswer =
  | { readonly state: LinkState }
  /** Too many wrong codes came from this address. */
  | { readonly state: "slowed"; readonly failure: Extract<Failure, { code: "rate_limited" }> }
  | { readonly state: "opened"; readonly cookie: string; readonly expiresAt: number };

const UNKNOWN: LinkAnswer = { state: "unknown" };

export class Links {
  readonly #env: Env;
  readonly #caller: Caller;
  readonly #guard: Guard;

  constructor(env: Env, caller: Caller) {
    this.#env = env;
    this.#caller = caller;
    this.#guard = new Guard(env, caller);
  }

  /** What a link would say. Writes nothing for a code that exists. */
  async look(code: LinkCode): Promise<LinkAnswer> {
    const from = this.#caller.origin();
    return this.#find(code, (hash, entry) =>
      this.#session(entry.objectIdHex)
        .linkState({ participant: entry.participant, code: hash, from })
        .then((state) => ({ state })),
    );
  }

  async open(code: LinkCode, name: string | undefined): Promise<LinkAnswer> {
    const from = this.#caller.origin();
    return this.#find(code, async (hash, { objectIdHex, participant }) => {
      const secret = drawSecret();
      const opened = await this.#session(objectIdHex).openLink({
        participant,
        code: hash,
        from,
        next: hashCookieSecret(secret),
        ...(name === undefined ? {} : { name: name.slice(0, LIMITS.actorIdLength) }),
      });
      if (opened.state !== "opened" || !("issuedSeq" in opened)) {
        return { state: opened.state as LinkState };
      }
      const { issuedSeq, expiresAt } = opened;
      const cookie = formatCookie({ objectIdHex, participant, issuedSeq, secret });
      return { state: "opened", cookie, expiresAt };
    });
  }

  /** The credential in a cookie of this link, or null for what cannot be one. */
  present(code: LinkCode, cookie: string): Presented | null {
    const parts = parseCookie(cookie);
    if (parts === null) return null;
    const { objectIdHex, participant, issuedSeq, secret } = parts;
    try {
      const objectId = this.#env.SESSION.idFromString(objectIdHex);
      const hash = hashCookieSecret(secret);
      const link = hashLinkCode(code);
      const from = this.#caller.origin();
      const credential = { participant, issuedSeq, hash, link, from };
      const sessionId = sessionIdFromHex(objectIdHex);
      return { objectId, objectIdHex, sessionId, credential, secret };
    } catch {
      return null;
    }
  }

  async #find(
    code: LinkCode,
    then: (hash: string, entry: LinkEntry) => Promise<LinkAnswer>,
  ): Promise<LinkAnswer> {
    const { MISSES, HANDOFFS } = this.#env;
    const barred = this.#guard.barred("wrongCode", "");
    if (barred !== null) return { state: "slowed", failure: barred };
    const { network, address } = this.#caller;
    const name = hashAddress(network ?? address ?? "unknown");
    const counter = MISSES.get(MISSES.idFromName(name)) as unknown as MissPort;
    const waitMs = await counter.waitMs();
    if (waitMs > 0) return this.#slowed(waitMs);
    const hash = hashLinkCode(code);
    const shard = HANDOFFS.get(HANDOFFS.idFromName(shardOf(hash))) as unknown as DirectoryPort;
    const entry = await shard.find(hash);
    const found = entry === null ? UNKNOWN : await then(hash, entry);
    // A link that is bound to another place is as unknown as one that never was.
    if (found.state !== "unknown") return found;
    return this.#slowed(await counter.miss());
  }

  /** The platform's counter stands before the exact one: who goes on is refused without an object. */
  async #slowed(waitMs: number): Promise<LinkAnswer> {
    const over = this.#guard.bar("wrongCode", await this.#guard.count("wrongCode"), "");
    if (over !== null) return { state: "slowed", failure: over };
    if (waitMs <= 0) return UNKNOWN;
    const what = "Too many wrong codes came from this address.";
    return { state: "slowed", failure: { code: "rate_limited", what, retryAfterMs: waitMs } };
  }

  #session(hex: string): SessionPort {
    const { SESSION } = this.#env;
    return SESSION.get(SESSION.idFromString(hex)) as unknown as SessionPort;
  }
}
