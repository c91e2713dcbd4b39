/**
 * A person's way in: from a code to the link it stands for, and from a click to the credential that
 * the browser keeps. Misses are counted for the address they come from, before and after looking.
 */
import { LIMITS } from "../domain/limits";
import { shardOf, type LinkState } from "../domain/link";
import type { LinkCode } from "../domain/link-code";
import { sessionIdFromHex } from "../domain/ids";
import type { Env } from "../env";
import type { DirectoryPort, LinkEntry, MissPort, SessionPort } from "../object/messages";
import { formatCookie, parseCookie } from "./link-cookie";
import type { Presented } from "./presented";
import { drawSecret, hashAddress, hashCookieSecret, hashLinkCode } from "./secrets";

export type LinkAnswer =
  | { readonly state: LinkState }
  /** Too many wrong codes came from this address. */
  | { readonly state: "slowed"; readonly waitMs: number }
  | { readonly state: "opened"; readonly cookie: string; readonly expiresAt: number };

export class Links {
  readonly #env: Env;

  constructor(env: Env) {
    this.#env = env;
  }

  /** What a link would say. Writes nothing for a code that exists. */
  async look(code: LinkCode, address: string): Promise<LinkAnswer> {
    return this.#find(code, address, (hash, entry) =>
      this.#session(entry.objectIdHex)
        .linkState({ participant: entry.participant, code: hash })
        .then((state) => ({ state })),
    );
  }

  async open(code: LinkCode, address: string, name: string | undefined): Promise<LinkAnswer> {
    return this.#find(code, address, async (hash, { objectIdHex, participant }) => {
      const secret = drawSecret();
      const opened = await this.#session(objectIdHex).openLink({
        participant,
        code: hash,
        next: await hashCookieSecret(secret),
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
  async present(code: LinkCode, cookie: string): Promise<Presented | null> {
    const parts = parseCookie(cookie);
    if (parts === null) return null;
    const { objectIdHex, participant, issuedSeq, secret } = parts;
    try {
      const objectId = this.#env.SESSION.idFromString(objectIdHex);
      const hash = await hashCookieSecret(secret);
      const link = await hashLinkCode(code);
      const credential = { participant, issuedSeq, hash, link };
      return { objectId, sessionId: sessionIdFromHex(objectIdHex), credential, secret };
    } catch {
      return null;
    }
  }

  async #find(
    code: LinkCode,
    address: string,
    then: (hash: string, entry: LinkEntry) => Promise<LinkAnswer>,
  ): Promise<LinkAnswer> {
    const { MISSES, HANDOFFS } = this.#env;
    const name = await hashAddress(address);
    const counter = MISSES.get(MISSES.idFromName(name)) as unknown as MissPort;
    const waitMs = await counter.waitMs();
    if (waitMs > 0) return { state: "slowed", waitMs };
    const hash = await hashLinkCode(code);
    const shard = HANDOFFS.get(HANDOFFS.idFromName(shardOf(hash))) as unknown as DirectoryPort;
    const entry = await shard.find(hash);
    if (entry !== null) return then(hash, entry);
    const wait = await counter.miss();
    return wait > 0 ? { state: "slowed", waitMs: wait } : { state: "unknown" };
  }

  #session(hex: string): SessionPort {
    const { SESSION } = this.#env;
    return SESSION.get(SESSION.idFromString(hex)) as unknown as SessionPort;
  }
}
