/** The console's cookies. Both cookies count below /console alone. */
import type { Env } from "../../env";
import { isSecure } from "../../gateway/public-url";
import { cookieIn } from "../guard";

type PublicSettings = Pick<Env, "PUBLIC_URL">;

const CREDENTIAL = "baton-console";
const NONCE = "baton-console-nonce";
const NONCE_MS = 60 * 60 * 1000;

const nameOf = (name: string, env: PublicSettings): string =>
  isSecure(env) ? `__Secure-${name}` : name;

/** Strict: other sites do not even lead here with it. */
function cookie(env: PublicSettings, name: string, value: string, maxAgeMs: number): string {
  const seconds = Math.max(0, Math.floor(maxAgeMs / 1000));
  const rest = `Path=/console; Max-Age=${seconds}; HttpOnly; SameSite=Strict`;
  return `${nameOf(name, env)}=${value}; ${rest}${isSecure(env) ? "; Secure" : ""}`;
}

export const consoleCookieIn = (headers: Headers, env: PublicSettings): string | null =>
  cookieIn(headers, nameOf(CREDENTIAL, env));

export const setConsoleCookie = (env: PublicSettings, value: string, endsAt: number): string =>
  cookie(env, CREDENTIAL, value, endsAt - Date.now());

export const dropConsoleCookie = (env: PublicSettings): string => cookie(env, CREDENTIAL, "", 0);

/** For the forms before one is signed in: half of a pair whose other half is in the form. */
export const setConsoleNonce = (env: PublicSettings, value: string): string =>
  cookie(env, NONCE, value, NONCE_MS);

export const consoleNonceIn = (headers: Headers, env: PublicSettings): string | null =>
  cookieIn(headers, nameOf(NONCE, env));
