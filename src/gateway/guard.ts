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
const bars = new Map<string, number>();
/** Bounded; what is forgotten first came first. */
const MOST_BARS = 10_000;

/** So that none is left, and nothing looked for, once it is quiet again. */
function liftBars(now: number): void {
  for (const [key, until] of bars) {
    if (until > now) return;
    bars.delete(key);
  }
}

const WORDS: Readonly<Record<LimitName, string>> = {
  create: "Too many sessions were created from your network.",
  wrongToken: "Too many invalid credentials came from your network.",
  wrongCode: "Too many wrong codes came from your network.",
  resume: "This session was resumed too often from your network.",
  challenge: "Too many addresses did not repeat the challenge of a subscription.",
};

export class Guard {
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
      return success ? null : this.#limited(name);
    } catch {
      // A counter that cannot be asked holds nobody up.
      return null;
    }
  }

  /** Refused before anything is looked at, whatever is presented. */
  barred(name: LimitName, what: string): RateLimited | null {
    if (bars.size === 0) return null;
    const now = Date.now();
    liftBars(now);
    const until = bars.get(`${this.#caller.countedNetwork} ${name} ${what}`);
    return until === undefined || until <= now ? null : this.#limited(name, until - now);
  }

  /**
   * After something wrong was presented: the refusal to give. The same for whatever was wrong with
   * it; `what` is the part that anybody can read off a credential, authentic or not. Who is barred
   * already is not counted on, so that a loop does not put off its own end.
   */
  async wrong(what: string, refusal: Failure): Promise<Failure> {
    const barred = this.barred("wrongToken", what);
    return barred ?? this.bar("wrongToken", await this.count("wrongToken"), what) ?? refusal;
  }

  /** After a resume was accepted: so that a loop is refused before it reaches the object again. */
  async resumed(objectIdHex: string): Promise<void> {
    this.bar("resume", await this.count("resume", objectIdHex), objectIdHex);
  }

  /** Keeps in mind that a limit was passed, so that what follows is refused by `barred`. */
  bar(name: LimitName, limited: RateLimited | null, what: string): RateLimited | null {
    if (limited === null) return null;
    const [oldest] = bars.keys();
    if (bars.size >= MOST_BARS && oldest !== undefined) bars.delete(oldest);
    const key = `${this.#caller.countedNetwork} ${name} ${what}`;
    // Anew at the end, so that the first to come is the first to be lifted.
    bars.delete(key);
    bars.set(key, Date.now() + limited.retryAfterMs);
    return limited;
  }

  /** The counters do not say when they begin anew: at the latest a whole period from now. */
  #limited(name: LimitName, waitMs?: number): RateLimited {
    const { limit, period } = rateLimitsOf(this.#env.RATE_LIMITS)[name];
    const quota = { name, limit, period };
    return {
      code: "rate_limited",
      what: WORDS[name],
      retryAfterMs: waitMs ?? period * 1000,
      quota,
    };
  }
}

type RateLimited = Extract<Failure, { code: "rate_limited" }>;

interface Refused {
  readonly ok: false;
  readonly failure: Failure;
}

/** An object's reply; one that says the token is wrong counts as such. */
export async function counted<R extends { readonly ok: true } | Refused>(
  guard: Guard,
  what: string,
  reply: R,
): Promise<R | Refused> {
  if (reply.ok || reply.failure.code !== "token_invalid") return reply;
  return { ok: false, failure: await guard.wrong(what, reply.failure) };
}
