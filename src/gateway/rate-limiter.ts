/**
 * Rate limits at the edge, by the platform's counters, for one caller. Requests that are not subject
 * to one never wait for it. Without bindings, and for callers whose network is not counted, nothing
 * is limited.
 */
import type { Failure } from "../domain/failure";
import { LIMIT_BINDINGS, rateLimitsOf, type LimitName } from "./rate-limits";
import type { Env } from "../env";
import type { Caller } from "./caller";

/**
 * Who is over a limit, and for what, until when: then the answer is the same for right and wrong
 * credentials and costs nothing. Of this isolate alone: another learns it when it counts the next.
 */
const blockedUntil = new Map<string, number>();
/** Bounded; what is forgotten first came first. */
const MAX_BLOCKS = 10_000;

/** So that none is left, and nothing looked for, once it is quiet again. */
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

  /** Counts one; the refusal where that is one too many. */
  async count(name: LimitName, of = ""): Promise<RateLimited | null> {
    const limiter = this.#env[LIMIT_BINDINGS[name]];
    const network = limiter === undefined ? null : this.#caller.countedNetwork;
    if (limiter === undefined || network === null) return null;
    try {
      const { success } = await limiter.limit({ key: of === "" ? network : `${network} ${of}` });
      return success ? null : this.#rateLimited(name);
    } catch {
      // A counter that cannot be asked holds nobody up.
      return null;
    }
  }

  /** Refused before anything is looked at, whatever is presented. */
  blockProblem(name: LimitName, what: string): RateLimited | null {
    if (blockedUntil.size === 0) return null;
    const now = Date.now();
    pruneExpired(now);
    const until = blockedUntil.get(`${this.#caller.countedNetwork} ${name} ${what}`);
    return until === undefined || until <= now ? null : this.#rateLimited(name, until - now);
  }

  /**
   * After something wrong was presented: the refusal to give. The same for whatever was wrong with
   * it; `what` is the part that anybody can read off a credential, authentic or not. Who is barred
   * already is not counted on, so that a loop does not put off its own end.
   */
  async countInvalid(what: string, refusal: Failure): Promise<Failure> {
    const barred = this.blockProblem("wrongToken", what);
    return barred ?? this.block("wrongToken", await this.count("wrongToken"), what) ?? refusal;
  }

  /** After a resume was accepted: so that a loop is refused before it reaches the object again. */
  async countResume(objectIdHex: string): Promise<void> {
    this.block("resume", await this.count("resume", objectIdHex), objectIdHex);
  }

  /** Keeps in mind that a limit was passed, so that what follows is refused by `barred`. */
  block(name: LimitName, limited: RateLimited | null, what: string): RateLimited | null {
    if (limited === null) return null;
    const [oldest] = blockedUntil.keys();
    if (blockedUntil.size >= MAX_BLOCKS && oldest !== undefined) blockedUntil.delete(oldest);
    const key = `${this.#caller.countedNetwork} ${name} ${what}`;
    // Anew at the end, so that the first to come is the first to be lifted.
    blockedUntil.delete(key);
    blockedUntil.set(key, Date.now() + limited.retryAfterMs);
    return limited;
  }

  /** The counters do not say when they begin anew: at the latest a whole period from now. */
  #rateLimited(name: LimitName, waitMs?: number): RateLimited {
    const { limit, period } = rateLimitsOf(this.#env.RATE_LIMITS)[name];
    const quota = { name, limit, period };
    return {
      code: "rate_limited",
      what: MESSAGES[name],
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

/** An object's reply; one that says the token is wrong counts as such. */
export async function countIfInvalid<R extends { readonly ok: true } | RefusedReply>(
  rateLimiter: RateLimiter,
  what: string,
  reply: R,
): Promise<R | RefusedReply> {
  if (reply.ok || reply.failure.code !== "token_invalid") return reply;
  return { ok: false, failure: await rateLimiter.countInvalid(what, reply.failure) };
}
