/** The console's cookies. Both cookies count below /console alone. */
import { formatCookie, readCookie, NONCE_LIFETIME_MS, type PublicSettings } from "../cookies";

const CREDENTIAL_COOKIE = "baton-console";
const NONCE_COOKIE = "baton-console-nonce";

/** Strict: other sites do not even lead here with it. */
export const CONSOLE_SCOPE = { path: "/console", sameSite: "Strict" } as const;

export const readConsoleCookie = (headers: Headers, env: PublicSettings): string | null =>
  readCookie(headers, env, CREDENTIAL_COOKIE);

export const consoleCookie = (env: PublicSettings, value: string, endsAt: number): string =>
  formatCookie(env, CREDENTIAL_COOKIE, value, endsAt - Date.now(), CONSOLE_SCOPE);

export const expiredConsoleCookie = (env: PublicSettings): string =>
  formatCookie(env, CREDENTIAL_COOKIE, "", 0, CONSOLE_SCOPE);

/** For the forms before one is signed in: half of a pair whose other half is in the form. */
export const consoleNonceCookie = (env: PublicSettings, value: string): string =>
  formatCookie(env, NONCE_COOKIE, value, NONCE_LIFETIME_MS, CONSOLE_SCOPE);

export const readConsoleNonce = (headers: Headers, env: PublicSettings): string | null =>
  readCookie(headers, env, NONCE_COOKIE);
