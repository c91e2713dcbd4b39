/**
 * How a person opens a link: from a code to its link, and from a click to the browser's cookie. Wrong
 * codes are counted per network, before and after the lookup.
 */
import type { Failure } from "../domain/failure";
import { LIMITS } from "../domain/limits";
import type { LinkCode } from "../domain/links/link-code";
import { sessionIdFromHex } from "../domain/ids";
import type { LinkPreview } from "../object/link-messages";
import type { LinkEntry, Reply } from "../object/messages";
import { withTrace, type UnverifiedCredential, UseCases } from "./session-calls";
import { generateSecret, hashAddress, hashCookieSecret, hashLinkCode } from "./secrets";
import { COOKIE_PREFIX, formatToken, parseToken } from "./token";

export type LinkAnswer =
  | LinkPreview
  /** Too many wrong codes came from this address. */
  | { readonly state: "slowed"; readonly failure: Extract<Failure, { code: "rate_limited" }> }
  | { readonly state: "opened"; readonly cookie: string; readonly expiresAt: number };

const UNKNOWN: LinkAnswer = { state: "unknown" };

export class Links extends UseCases {
  /** What the link shows before it is opened. Writes nothing for a code that exists. */
  async preview(code: LinkCode): Promise<Reply<LinkAnswer>> {
    const from = this.caller.origin();
    return this.#find(code, async (hash, objectId, { participant }) => {
      const request = { participant, code: hash, from };
      return this.calls.objects.read(objectId, { kind: "linkState", ...request });
    });
  }

  /** "Not me": closes a link that was not opened yet. */
  async decline(code: LinkCode, reason: string | undefined): Promise<Reply<LinkAnswer>> {
    const from = this.caller.origin();
    return this.#find(code, async (hash, objectId, { participant }) => {
      const request = {
        participant,
        code: hash,
        from,
        reason: reason?.slice(0, LIMITS.textLength),
      };
      return this.calls.objects.write(objectId, {
        kind: "declineLink",
        ...withTrace(request, this.caller.telemetry),
      });
    });
  }

  async open(code: LinkCode, name: string | undefined): Promise<Reply<LinkAnswer>> {
    const from = this.caller.origin();
    const identified = await this.caller.identity();
    if (!identified.ok) return { ok: false, failure: identified.error };
    return this.#find(code, async (hash, objectId, { objectIdHex, participant }) => {
      const secret = generateSecret();
      const request = {
        participant,
        code: hash,
        from,
        next: hashCookieSecret(secret),
        ...(identified.value === null ? {} : { identity: identified.value }),
        ...(name === undefined ? {} : { name: name.slice(0, LIMITS.actorIdLength) }),
      };
      const reply = await this.calls.objects.write(objectId, {
        kind: "openLink",
        ...withTrace(request, this.caller.telemetry),
      });
      if (!reply.ok) return reply;
      const opened = reply.value;
      if (!("issuedSeq" in opened)) return { ok: true, value: opened };
      const { issuedSeq, expiresAt } = opened;
      const parts = { objectIdHex, participant, issuedSeq, secret };
      const cookie = formatToken(parts, COOKIE_PREFIX);
      return { ok: true, value: { state: "opened", cookie, expiresAt } };
    });
  }

  /** The credential in a cookie of this link, or null if it is malformed. */
  readCookie(code: LinkCode, cookie: string): UnverifiedCredential | null {
    const parts = parseToken(cookie, COOKIE_PREFIX);
    if (parts === null) return null;
    const { objectIdHex, participant, issuedSeq, secret } = parts;
    const objectId = this.calls.objects.sessionAt(objectIdHex);
    if (objectId === null) return null;
    const hash = hashCookieSecret(secret);
    const link = hashLinkCode(code);
    const from = this.caller.origin();
    const credential = { participant, issuedSeq, hash, link, from };
    const sessionId = sessionIdFromHex(objectIdHex);
    const traced = withTrace(credential, this.caller.telemetry);
    return { objectId, objectIdHex, sessionId, hashed: traced, secret };
  }

  async #find(
    code: LinkCode,
    onFound: (
      hash: string,
      objectId: DurableObjectId,
      entry: LinkEntry,
    ) => Promise<Reply<LinkAnswer>>,
  ): Promise<Reply<LinkAnswer>> {
    const { objects, rateLimiter } = this.calls;
    const blocked = rateLimiter.blockProblem("wrongCode", "");
    if (blocked !== null) return { ok: true, value: { state: "slowed", failure: blocked } };
    // Callers without a known network are not counted: the mistakes of one would lock out all.
    const { countedNetwork: network } = this.caller;
    const counter = network === null ? null : hashAddress(network);
    if (counter !== null) {
      const wait = await objects.missCounter(counter, (misses) => misses.waitMs(counter));
      if (!wait.ok) return wait;
      if (wait.value > 0) return this.#slowDown(wait.value);
    }
    const hash = hashLinkCode(code);
    const entry = await objects.findLink(hash);
    if (!entry.ok) return entry;
    const objectId = entry.value === null ? null : objects.sessionAt(entry.value.objectIdHex);
    if (entry.value !== null && objectId !== null) {
      const found = await onFound(hash, objectId, entry.value);
      // A link that is bound to another network gets the same answer as an unknown one.
      if (!found.ok || found.value.state !== "unknown") return found;
    }
    if (counter === null) return { ok: true, value: UNKNOWN };
    const missed = await objects.missCounter(counter, (misses) => misses.miss(counter));
    return missed.ok ? this.#slowDown(missed.value) : missed;
  }

  /** The platform's rate limiter comes before the exact counter: further attempts then call no object. */
  async #slowDown(waitMs: number): Promise<Reply<LinkAnswer>> {
    const { rateLimiter } = this.calls;
    const exceeded = rateLimiter.block("wrongCode", await rateLimiter.count("wrongCode"), "");
    if (exceeded !== null) return { ok: true, value: { state: "slowed", failure: exceeded } };
    if (waitMs <= 0) return { ok: true, value: UNKNOWN };
    const detail = "Too many wrong codes came from this address.";
    const failure = { code: "rate_limited", detail, retryAfterMs: waitMs } as const;
    return { ok: true, value: { state: "slowed", failure } };
  }
}
