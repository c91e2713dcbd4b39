/**
 * A person's way in: from a code to the link it stands for, and from a click to the credential that
 * the browser keeps. Misses are counted for the address they come from, before and after looking.
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
  /** What a link would say. Writes nothing for a code that exists. */
  async preview(code: LinkCode): Promise<Reply<LinkAnswer>> {
    const from = this.caller.origin();
    return this.#find(code, async (hash, objectId, { participant }) => {
      const key = { participant, code: hash, from };
      return this.calls.objects.read(objectId, { kind: "linkState", ...key });
    });
  }

  /** "Not me": closes a link that was not opened yet. */
  async decline(code: LinkCode, reason: string | undefined): Promise<Reply<LinkAnswer>> {
    const from = this.caller.origin();
    return this.#find(code, async (hash, objectId, { participant }) => {
      const asked = { participant, code: hash, from, reason: reason?.slice(0, LIMITS.textLength) };
      return this.calls.objects.write(objectId, {
        kind: "declineLink",
        ...withTrace(asked, this.caller.telemetry),
      });
    });
  }

  async open(code: LinkCode, name: string | undefined): Promise<Reply<LinkAnswer>> {
    const from = this.caller.origin();
    const who = await this.caller.identity();
    if (!who.ok) return { ok: false, failure: who.error };
    return this.#find(code, async (hash, objectId, { objectIdHex, participant }) => {
      const secret = generateSecret();
      const asked = {
        participant,
        code: hash,
        from,
        next: hashCookieSecret(secret),
        ...(who.value === null ? {} : { identity: who.value }),
        ...(name === undefined ? {} : { name: name.slice(0, LIMITS.actorIdLength) }),
      };
      const reply = await this.calls.objects.write(objectId, {
        kind: "openLink",
        ...withTrace(asked, this.caller.telemetry),
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

  /** The credential in a cookie of this link, or null for what cannot be one. */
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
    then: (hash: string, objectId: DurableObjectId, entry: LinkEntry) => Promise<Reply<LinkAnswer>>,
  ): Promise<Reply<LinkAnswer>> {
    const { objects, rateLimiter } = this.calls;
    const barred = rateLimiter.blockProblem("wrongCode", "");
    if (barred !== null) return { ok: true, value: { state: "slowed", failure: barred } };
    // Callers that cannot be told apart are not counted: the mistakes of one would lock out all.
    const { countedNetwork: network } = this.caller;
    const counter = network === null ? null : hashAddress(network);
    if (counter !== null) {
      const waiting = await objects.missCounter(counter, (misses) => misses.waitMs(counter));
      if (!waiting.ok) return waiting;
      if (waiting.value > 0) return this.#slowDown(waiting.value);
    }
    const hash = hashLinkCode(code);
    const entry = await objects.findLink(hash);
    if (!entry.ok) return entry;
    const objectId = entry.value === null ? null : objects.sessionAt(entry.value.objectIdHex);
    if (entry.value !== null && objectId !== null) {
      const found = await then(hash, objectId, entry.value);
      // A link that is bound to another place is as unknown as one that never was.
      if (!found.ok || found.value.state !== "unknown") return found;
    }
    if (counter === null) return { ok: true, value: UNKNOWN };
    const missed = await objects.missCounter(counter, (misses) => misses.miss(counter));
    return missed.ok ? this.#slowDown(missed.value) : missed;
  }

  /** The platform's counter stands before the exact one: who goes on is refused without an object. */
  async #slowDown(waitMs: number): Promise<Reply<LinkAnswer>> {
    const { rateLimiter } = this.calls;
    const over = rateLimiter.block("wrongCode", await rateLimiter.count("wrongCode"), "");
    if (over !== null) return { ok: true, value: { state: "slowed", failure: over } };
    if (waitMs <= 0) return { ok: true, value: UNKNOWN };
    const what = "Too many wrong codes came from this address.";
    const failure = { code: "rate_limited", what, retryAfterMs: waitMs } as const;
    return { ok: true, value: { state: "slowed", failure } };
  }
}
