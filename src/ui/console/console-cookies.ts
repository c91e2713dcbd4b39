/** The console's cookies. Both are valid only below /console. */
import { formatCookie, readCookie, NONCE_LIFETIME_MS, type PublicSettings } from "../cookies";

const CREDENTIAL_COOKIE = "baton-console";
const NONCE_COOKIE = "baton-console-nonce";

/** Strict: browsers do not send it when a link on another site is followed. */
export const CONSOLE_SCOPE = { path: "/console", sameSite: "Strict" } as const;

export const readConsoleCookie = (headers: Headers, env: PublicSettings): string | null =>
  readCookie(headers, env, CREDENTIAL_COOKIE);

export const consoleCookie = (env: PublicSettings, value: string, endsAt: number): string =>
  formatCookie(env, CREDENTIAL_COOKIE, value, endsAt - Date.now(), CONSOLE_SCOPE);

export const expiredConsoleCookie = (env: PublicSettings): string =>
  formatCookie(env, CREDENTIAL_COOKIE, "", 0, CONSOLE_SCOPE);

/** For the forms before sign-in, which have the same nonce. */
export const consoleNonceCookie = (env: PublicSettings, value: string): string =>
  formatCookie(env, NONCE_COOKIE, value, NONCE_LIFETIME_MS, CONSOLE_SCOPE);

export const readConsoleNonce = (headers: Headers, env: PublicSettings): string | null =>
  readCookie(headers, env, NONCE_COOKIE);
