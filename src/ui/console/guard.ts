/** The console's cookies. Both cookies count below /console alone. */
import { cookie, cookieIn, NONCE_MS, type PublicSettings } from "../guard";

const CREDENTIAL = "baton-console";
const NONCE = "baton-console-nonce";

/** Strict: other sites do not even lead here with it. */
export const SCOPE = { path: "/console", sameSite: "Strict" } as const;

export const consoleCookieIn = (headers: Headers, env: PublicSettings): string | null =>
  cookieIn(headers, env, CREDENTIAL);

export const setConsoleCookie = (env: PublicSettings, value: string, endsAt: number): string =>
  cookie(env, CREDENTIAL, value, endsAt - Date.now(), SCOPE);

export const dropConsoleCookie = (env: PublicSettings): string =>
  cookie(env, CREDENTIAL, "", 0, SCOPE);

/** For the forms before one is signed in: half of a pair whose other half is in the form. */
export const setConsoleNonce = (env: PublicSettings, value: string): string =>
  cookie(env, NONCE, value, NONCE_MS, SCOPE);

export const consoleNonceIn = (headers: Headers, env: PublicSettings): string | null =>
  cookieIn(headers, env, NONCE);
