/**
 * How often one caller may do what costs a server most, as long as the deployment sets nothing else.
 * Imports nothing: the local server reads it too.
 */
export interface Quota {
  readonly limit: number;
  /** Seconds; the platform knows these two. */
  readonly period: 10 | 60;
}

/** Each by the caller's network; `resume` by network and session, `challenge` by network and owner. */
export const RATE_LIMITS = {
  /** Sessions begun, forks among them. One every half second is more than work needs. */
  create: { limit: 120, period: 60 },
  /** Refused credentials. A program that holds a wrong one notices after the first. */
  wrongToken: { limit: 60, period: 60 },
  /** Codes that lead nowhere, on top of what is counted exactly. */
  wrongCode: { limit: 30, period: 60 },
  /** Resumes of one session. Each writes rows and fences off the one before. */
  resume: { limit: 60, period: 60 },
  /** Addresses that did not repeat a challenge. Each is a request that this server sends to a stranger. */
  challenge: { limit: 20, period: 60 },
} as const satisfies Readonly<Record<string, Quota>>;

export type LimitName = keyof typeof RATE_LIMITS;

/** The bindings by which the platform counts them. */
export const LIMIT_BINDINGS = {
  create: "LIMIT_CREATE",
  wrongToken: "LIMIT_WRONG_TOKEN",
  wrongCode: "LIMIT_WRONG_CODE",
  resume: "LIMIT_RESUME",
  challenge: "LIMIT_CHALLENGE",
} as const satisfies Readonly<Record<LimitName, string>>;

/** The defaults with what the deployment says on top, which may come as text. */
export function rateLimitsOf(
  given: string | Partial<Record<LimitName, Partial<Quota>>> | undefined,
): Readonly<Record<LimitName, Quota>> {
  const own = typeof given === "string" && given !== "" ? (JSON.parse(given) as object) : given;
  const merged = Object.entries(RATE_LIMITS).map(([name, quota]) => [
    name,
    { ...quota, ...(own as Readonly<Record<string, Partial<Quota>>> | undefined)?.[name] },
  ]);
  return Object.fromEntries(merged) as Record<LimitName, Quota>;
}
