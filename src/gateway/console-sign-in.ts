/**
 * The door of the console: a key of an owner, or the one-time code that `npm start` prints, is changed
 * into a sealed cookie, and the cookie back into the holder of that key. The cookie holds the key's
 * hash, never the key; it is checked against OWNERS on every request, so a key that leaves the setting
 * ends its consoles. It gives exactly the rights that its key has.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, decodeBase64url, encodeBase64url } from "../domain/base64url";
import { parseConsoleEntry } from "../domain/owners/console-entry";
import type { Failure } from "../domain/failure";
import { ok, refuse, type Result } from "../domain/result";
import { keyringOf, openUnder, sealUnder, type Keyring } from "./keyring";
import { admitKey, holderByHash, recordCreator, type Holder } from "./owner-keys";
import { UseCases } from "./session-calls";

/** One who is signed in. */
export interface ConsoleLogin {
  readonly holder: Holder;
  /** Every form of the console carries it. */
  readonly formToken: string;
  readonly endsAt: number;
}

/** What a browser is given when it signs in. */
interface SignInCookie {
  readonly cookie: string;
  readonly endsAt: number;
}

/** Why a one-time link does not open the console. */
type CodeRefusal = "unknown" | "used" | "over";

/** A working day. Whoever needs longer signs in again. */
const SIGNED_IN_MS = 12 * 60 * 60 * 1000;
const PURPOSE = "console-cookie";
const FORM_TOKEN_BYTES = 24;

const encoder = new TextEncoder();

export class ConsoleSignIn extends UseCases {
  /** Without keys to seal with there is no console. */
  keys(): Result<Keyring> {
    return keyringOf(this.env, "SEALING_KEYS");
  }

  /** A wrong key is counted as everywhere. */
  async signIn(key: string): Promise<Result<SignInCookie>> {
    const holder = await admitKey(this.caller, key, this.calls.rateLimiter);
    return holder.ok ? this.#issueCookie(holder.value) : holder;
  }

  /** Looks only: does this code open the console, as far as the setting says? */
  async checkCode(code: string): Promise<Result<Holder, CodeRefusal | Failure>> {
    const entry = parseConsoleEntry(this.env.CONSOLE_ENTRY);
    const given = encoder.encode(hashOf(code));
    const isIt =
      entry !== null && crypto.subtle.timingSafeEqual(given, encoder.encode(entry.codeHash));
    if (entry === null || !isIt) {
      const wrong = await this.calls.rateLimiter.countInvalid("console entry", {
        code: "token_invalid",
        what: "key",
      });
      return refuse(wrong.code === "rate_limited" ? wrong : "unknown");
    }
    const holder = holderByHash(this.env, entry.keyHash, Date.now());
    return holder === null || Date.now() >= entry.expiresAt ? refuse("over") : ok(holder);
  }

  /** The owner's directory keeps that it was used, so that it is once whatever restarts. */
  async redeem(code: string): Promise<Result<SignInCookie, CodeRefusal | Failure>> {
    const looked = await this.checkCode(code);
    if (!looked.ok) return looked;
    const holder = looked.value;
    const owner = holder.owner.name;
    const until = parseConsoleEntry(this.env.CONSOLE_ENTRY)?.expiresAt ?? 0;
    const first = await this.calls.objects.ownerDirectory(owner, "redeem", hashOf(code), until);
    if (!first.ok) return refuse(first.failure);
    return first.value ? this.#issueCookie(holder) : refuse("used");
  }

  /** Who this cookie stands for now; null where it stands for nobody. */
  async readCookie(cookie: string): Promise<ConsoleLogin | null> {
    const ring = this.keys();
    const sealed = decodeBase64url(cookie);
    const opened = ring.ok && sealed !== null && (await openUnder(ring.value, PURPOSE, sealed));
    if (!opened) return null;
    const { hash, end, form } = JSON.parse(new TextDecoder().decode(opened)) as CookieContent;
    const now = Date.now();
    const holder = now < end ? holderByHash(this.env, hash, now) : null;
    if (holder !== null) recordCreator(this.caller, { owner: holder.owner.name, holder });
    return holder === null ? null : { holder, formToken: form, endsAt: end };
  }

  async #issueCookie({ key }: Holder): Promise<Result<SignInCookie>> {
    const ring = this.keys();
    if (!ring.ok) return ring;
    const end = Math.min(Date.now() + SIGNED_IN_MS, key.expiresAt ?? Infinity);
    const form = crypto.getRandomValues(new Uint8Array(FORM_TOKEN_BYTES));
    const sealed: CookieContent = { hash: key.keyHash, end, form: encodeBase64url(form) };
    const plain = encoder.encode(JSON.stringify(sealed));
    const cookie = encodeBase64url(await sealUnder(ring.value, PURPOSE, plain));
    return ok({ cookie, endsAt: end });
  }
}

/** What the cookie holds; nobody but this server can read or make one. */
interface CookieContent {
  readonly hash: string;
  readonly end: number;
  readonly form: string;
}

const hashOf = (code: string): string => bytesToHex(sha256(encoder.encode(code)));
