/**
 * Rate limits at the edge for one caller, by the platform's counters. Requests without a limit never
 * wait for them. Without bindings, and for callers whose network is not counted, nothing is limited.
 */
import type { Failure } from "../domain/failure";
import { LIMIT_BINDINGS, rateLimitsOf, type LimitName } from "./rate-limits";
import type { Env } from "../env";
import type { Caller } from "./caller";

/**
 * Until when a caller is blocked, and for what: the response is then the same for valid and invalid
 * credentials, and costs nothing. It is kept per isolate: another isolate learns it with its next count.
 */
const blockedUntil = new Map<string, number>();
/** Bounded: the oldest block is dropped first. */
const MAX_BLOCKS = 10_000;

/** Empties the map once it is quiet again, so that nothing is looked up. */
function pruneExpired(now: number): void {
  for (const [key, until] of blockedUntil) {
    if (until > now) return;
    blockedUntil.delete(key);
  }
}

const MESSAGES: Readonly<Record<LimitName, string>> = {
  create: "Too many sessions were created from your network.",
  wrongToken: "Too many invalid credentials came from your network.",
  wrongCode: "Too many wrong codes came from your network.",
  resume: "This session was resumed too often from your network.",
  challenge: "Too many addresses did not repeat the challenge of a subscription.",
};

export class RateLimiter {
  readonly #env: Env;
  readonly #caller: Caller;

  constructor(env: Env, caller: Caller) {
    this.#env = env;
    this.#caller = caller;
  }

  /** Counts one request; returns the refusal if the limit is exceeded. */
  async count(name: LimitName, scope = ""): Promise<RateLimited | null> {
    const limiter = this.#env[LIMIT_BINDINGS[name]];
    const network = limiter === undefined ? null : this.#caller.countedNetwork;
    if (limiter === undefined || network === null) return null;
    try {
      const { success } = await limiter.limit({
        key: scope === "" ? network : `${network} ${scope}`,
      });
      return success ? null : this.#rateLimited(name);
    } catch {
      // If the counter cannot be reached, nobody is limited.
      return null;
    }
  }

  /** Refuses a blocked caller before the credential is checked. */
  blockProblem(name: LimitName, what: string): RateLimited | null {
    if (blockedUntil.size === 0) return null;
    const now = Date.now();
    pruneExpired(now);
    const until = blockedUntil.get(`${this.#caller.countedNetwork} ${name} ${what}`);
    return until === undefined || until <= now ? null : this.#rateLimited(name, until - now);
  }

  /**
   * Counts an invalid credential and returns the refusal. It is the same whatever was wrong; `what` is
   * the part of a credential that anyone can read, authentic or not. A blocked caller is not counted
   * further, so that a loop does not extend its own block.
   */
  async countInvalid(what: string, refusal: Failure): Promise<Failure> {
    const blocked = this.blockProblem("wrongToken", what);
    return blocked ?? this.block("wrongToken", await this.count("wrongToken"), what) ?? refusal;
  }

  /** After an accepted resume: a loop is then refused before it reaches the object again. */
  async countResume(objectIdHex: string): Promise<void> {
    this.block("resume", await this.count("resume", objectIdHex), objectIdHex);
  }

  /** Records that a limit was exceeded, so that `blockProblem` refuses the following requests. */
  block(name: LimitName, limited: RateLimited | null, what: string): RateLimited | null {
    if (limited === null) return null;
    const [oldest] = blockedUntil.keys();
    if (blockedUntil.size >= MAX_BLOCKS && oldest !== undefined) blockedUntil.delete(oldest);
    const key = `${this.#caller.countedNetwork} ${name} ${what}`;
    // Inserted again at the end, so that the first entry is the first to expire.
    blockedUntil.delete(key);
    blockedUntil.set(key, Date.now() + limited.retryAfterMs);
    return limited;
  }

  /** The counters do not report when they reset: at the latest after a whole period. */
  #rateLimited(name: LimitName, waitMs?: number): RateLimited {
    const { limit, period } = rateLimitsOf(this.#env.RATE_LIMITS)[name];
    const quota = { name, limit, period };
    return {
      code: "rate_limited",
      detail: MESSAGES[name],
      retryAfterMs: waitMs ?? period * 1000,
      quota,
    };
  }
}

type RateLimited = Extract<Failure, { code: "rate_limited" }>;

interface RefusedReply {
  readonly ok: false;
  readonly failure: Failure;
}

/** Counts an object's reply if it reports an invalid token. */
export async function countIfInvalid<R extends { readonly ok: true } | RefusedReply>(
  rateLimiter: RateLimiter,
  what: string,
  reply: R,
): Promise<R | RefusedReply> {
  if (reply.ok || reply.failure.code !== "token_invalid") return reply;
  return { ok: false, failure: await rateLimiter.countInvalid(what, reply.failure) };
}
