/**
 * The sign-in of the console: it exchanges an owner's key, or the one-time code that `npm start` prints,
 * for a sealed cookie, and a cookie for the holder of its key. The cookie contains the key's hash, never
 * the key. It is checked against OWNERS on every request, so removing a key from the setting ends its
 * consoles. It grants exactly the rights of its key.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, decodeBase64url, encodeBase64url } from "../domain/base64url";
import { parseConsoleEntry } from "../domain/owners/console-entry";
import type { Failure } from "../domain/failure";
import { ok, refuse, type Result } from "../domain/result";
import { keyringOf, openUnder, sealUnder, type Keyring } from "./keyring";
import { admitKey, holderByHash, recordCreator, type Holder } from "./owner-keys";
import { UseCases } from "./session-calls";

/** A signed-in owner. */
export interface ConsoleLogin {
  readonly holder: Holder;
  /** Every form of the console contains it. */
  readonly formToken: string;
  readonly endsAt: number;
}

/** The cookie that a browser gets when it signs in. */
interface SignInCookie {
  readonly cookie: string;
  readonly endsAt: number;
}

/** Why a one-time code does not open the console. */
type CodeRefusal = "unknown" | "used" | "over";

/** A working day. After that, one signs in again. */
const SIGNED_IN_MS = 12 * 60 * 60 * 1000;
const PURPOSE = "console-cookie";
const FORM_TOKEN_BYTES = 24;

const encoder = new TextEncoder();

export class ConsoleSignIn extends UseCases {
  /** Without keys to seal with, there is no console. */
  keys(): Result<Keyring> {
    return keyringOf(this.env, "SEALING_KEYS");
  }

  /** A wrong key counts against the rate limit. */
  async signIn(key: string): Promise<Result<SignInCookie>> {
    const holder = await admitKey(this.caller, key, this.calls.rateLimiter);
    return holder.ok ? this.#issueCookie(holder.value) : holder;
  }

  /** Checks a one-time code without redeeming it. */
  async checkCode(code: string): Promise<Result<Holder, CodeRefusal | Failure>> {
    const entry = parseConsoleEntry(this.env.CONSOLE_ENTRY);
    const codeHash = encoder.encode(hashOf(code));
    const isMatch =
      entry !== null && crypto.subtle.timingSafeEqual(codeHash, encoder.encode(entry.codeHash));
    if (entry === null || !isMatch) {
      const refusal = await this.calls.rateLimiter.countInvalid("console entry", {
        code: "token_invalid",
        what: "key",
      });
      return refuse(refusal.code === "rate_limited" ? refusal : "unknown");
    }
    const holder = holderByHash(this.env, entry.keyHash, Date.now());
    return holder === null || Date.now() >= entry.expiresAt ? refuse("over") : ok(holder);
  }

  /** The owner's directory records the use, so that the code works only once, even across restarts. */
  async redeem(code: string): Promise<Result<SignInCookie, CodeRefusal | Failure>> {
    const checked = await this.checkCode(code);
    if (!checked.ok) return checked;
    const holder = checked.value;
    const owner = holder.owner.name;
    const until = parseConsoleEntry(this.env.CONSOLE_ENTRY)?.expiresAt ?? 0;
    const redeemed = await this.calls.objects.ownerDirectory(owner, "redeem", hashOf(code), until);
    if (!redeemed.ok) return refuse(redeemed.failure);
    return redeemed.value ? this.#issueCookie(holder) : refuse("used");
  }

  /** The login of a cookie; null if it is invalid or has expired. */
  async readCookie(cookie: string): Promise<ConsoleLogin | null> {
    const keyring = this.keys();
    const sealed = decodeBase64url(cookie);
    const opened =
      keyring.ok && sealed !== null && (await openUnder(keyring.value, PURPOSE, sealed));
    if (!opened) return null;
    const { hash, end, form } = JSON.parse(new TextDecoder().decode(opened)) as CookieContent;
    const now = Date.now();
    const holder = now < end ? holderByHash(this.env, hash, now) : null;
    if (holder !== null) recordCreator(this.caller, { owner: holder.owner.name, holder });
    return holder === null ? null : { holder, formToken: form, endsAt: end };
  }

  async #issueCookie({ key }: Holder): Promise<Result<SignInCookie>> {
    const keyring = this.keys();
    if (!keyring.ok) return keyring;
    const end = Math.min(Date.now() + SIGNED_IN_MS, key.expiresAt ?? Infinity);
    const form = crypto.getRandomValues(new Uint8Array(FORM_TOKEN_BYTES));
    const sealed: CookieContent = { hash: key.keyHash, end, form: encodeBase64url(form) };
    const plain = encoder.encode(JSON.stringify(sealed));
    const cookie = encodeBase64url(await sealUnder(keyring.value, PURPOSE, plain));
    return ok({ cookie, endsAt: end });
  }
}

/** The content of the cookie. Only this server can read or create it. */
interface CookieContent {
  readonly hash: string;
  readonly end: number;
  readonly form: string;
}

const hashOf = (code: string): string => bytesToHex(sha256(encoder.encode(code)));
