/**
 * The default rate limits per caller, for the operations that cost a server most. This file imports
 * nothing: the local server reads it too.
 */
export interface Quota {
  readonly limit: number;
  /** Seconds; the platform supports only these two. */
  readonly period: 10 | 60;
}

/** Each per network of the caller; `resume` per network and session, `challenge` per network and owner. */
export const RATE_LIMITS = {
  /** Created sessions, including forks. One every half second is more than work needs. */
  create: { limit: 120, period: 60 },
  /** Refused credentials. A program with a wrong one notices after the first. */
  wrongToken: { limit: 60, period: 60 },
  /** Unknown codes, in addition to the exact counter. */
  wrongCode: { limit: 30, period: 60 },
  /** Resumes of one session. Each writes rows and fences the previous one. */
  resume: { limit: 60, period: 60 },
  /** Addresses that did not repeat a challenge. Each is a request from this server to an unknown address. */
  challenge: { limit: 20, period: 60 },
} as const satisfies Readonly<Record<string, Quota>>;

export type LimitName = keyof typeof RATE_LIMITS;

/** The bindings of the platform's counters. */
export const LIMIT_BINDINGS = {
  create: "LIMIT_CREATE",
  wrongToken: "LIMIT_WRONG_TOKEN",
  wrongCode: "LIMIT_WRONG_CODE",
  resume: "LIMIT_RESUME",
  challenge: "LIMIT_CHALLENGE",
} as const satisfies Readonly<Record<LimitName, string>>;

/** The defaults, overridden by the setting, which may be text. */
export function rateLimitsOf(
  setting: string | Partial<Record<LimitName, Partial<Quota>>> | undefined,
): Readonly<Record<LimitName, Quota>> {
  const overrides =
    typeof setting === "string" && setting !== "" ? (JSON.parse(setting) as object) : setting;
  const merged = Object.entries(RATE_LIMITS).map(([name, quota]) => [
    name,
    { ...quota, ...(overrides as Readonly<Record<string, Partial<Quota>>> | undefined)?.[name] },
  ]);
  return Object.fromEntries(merged) as Record<LimitName, Quota>;
}
