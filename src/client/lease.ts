/**
 * Holds a lease while work runs: takes it, renews it, tells the work when it is lost, and releases
 * it. Effects that happen once are recorded under it.
 */
import type { Json } from "../domain/json";
import { linkedController } from "./clock";
import { LeaseLostError, UnknownOutcomeError, WireError } from "./errors";
import type { CallOptions } from "./inputs";
import { checkOptions } from "./known-options";
import type { TokenLine } from "./token-line";
import { randomKey } from "./write-request";

/** A lease as the server returned it. */
export interface Lease {
  /** Its name. */
  readonly name: string;
  /** Larger than that of every lease before it. */
  readonly number: number;
  /** When it ends, unless it is renewed, ISO 8601. */
  readonly expiresAt: string;
}

/** Options of `lease`. */
export interface LeaseOptions extends CallOptions {
  /**
   * How long the lease lasts after the last renewal: after a crash, others wait that long. Default
   * 1 minute, at most 10.
   */
  readonly ttlMs?: number;
  /** How long to wait for a lease that somebody else holds. Default 0: `lease_held` is thrown. */
  readonly waitMs?: number;
}

/** Options of `once`. */
export interface OnceOptions extends CallOptions {
  /**
   * An earlier process began the effect and lost its lease before it recorded an end, so that the
   * effect may have happened: `"retry"` runs it again, `"fail"` throws an `UnknownOutcomeError`.
   * Default `"fail"`.
   */
  readonly onUnknown?: "retry" | "fail";
}

const DEFAULT_TTL_MS = 60_000;
/** A renewal may fail twice before the lease ends. */
const RENEWALS_PER_TTL = 3;
/** The holder may release its lease earlier than it ends. */
const MAX_POLL_MS = 1_000;
const RELEASE_MS = 5_000;

const leasePath = (name: string): string => `/leases/${encodeURIComponent(name)}`;

/** Runs `work` with a line whose requests are refused as soon as the lease is lost. */
export async function holdLease<T>(
  line: TokenLine,
  name: string,
  work: (line: TokenLine, lease: Lease, signal: AbortSignal) => Promise<T>,
  options: LeaseOptions,
): Promise<T> {
  checkOptions("lease", options, ["ttlMs", "waitMs", "signal"]);
  const { ttlMs = DEFAULT_TTL_MS, waitMs = 0, signal } = options;
  const { clock } = line.config;
  const { lease, until } = await takeLease(line, name, ttlMs, waitMs, signal);
  const { controller, release } = linkedController(signal);
  const lost = new LeaseLostError(name);
  const onLost = (): void => controller.abort(lost);
  const header = `${lease.name}=${lease.number}`;
  const renewing = linkedController(controller.signal);
  const renewals = renewUntilLost(line, lease, ttlMs, until, renewing.controller.signal).then(
    onLost,
    () => undefined,
  );
  try {
    const value = await work(line.underLease({ header, onLost }), lease, controller.signal);
    // The value may be the result of work that somebody else has begun again.
    if (controller.signal.reason === lost) throw lost;
    return value;
  } finally {
    renewing.controller.abort(new Error("the work has ended"));
    await renewals;
    renewing.release();
    release();
    if (controller.signal.reason !== lost) await releaseLease(line, name, header, clock);
  }
}

async function takeLease(
  line: TokenLine,
  name: string,
  ttlMs: number,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<{ readonly lease: Lease; readonly until: number }> {
  const { clock } = line.config;
  const deadline = clock.now() + waitMs;
  for (;;) {
    // Counted from before the request, so that it ends here no later than at the server.
    const until = clock.now() + ttlMs;
    try {
      const options = { method: "POST", body: { ttlMs }, key: randomKey(), signal } as const;
      return { lease: (await line.read(leasePath(name), options)).body.lease, until };
    } catch (error) {
      if (!(error instanceof WireError && error.code === "lease_held")) throw error;
      const leftMs = deadline - clock.now();
      if (leftMs <= 0) throw error;
      const { retryAfterMs = MAX_POLL_MS } = error.problem;
      await clock.sleep(Math.max(1, Math.min(retryAfterMs, leftMs, MAX_POLL_MS)), signal);
    }
  }
}

/** Resolves when the lease is lost. Rejects if the signal ends it first. */
async function renewUntilLost(
  line: TokenLine,
  { name, number }: Lease,
  ttlMs: number,
  heldUntil: number,
  signal: AbortSignal,
): Promise<void> {
  const { clock } = line.config;
  for (let until = heldUntil; ; ) {
    await clock.sleep(Math.min(ttlMs / RENEWALS_PER_TTL, Math.max(0, until - clock.now())), signal);
    const sentAt = clock.now();
    if (sentAt >= until) return;
    const attempt = linkedController(signal);
    const timer = new AbortController();
    clock.sleep(until - sentAt, timer.signal).then(
      () => attempt.controller.abort(new Error("the lease has ended")),
      () => undefined,
    );
    try {
      const body = { ttlMs, number };
      const options = { method: "POST", body, signal: attempt.controller.signal } as const;
      await line.read(leasePath(name), options);
      until = sentAt + ttlMs;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof WireError) return;
      // No response: it is tried again until the lease ends.
    } finally {
      timer.abort(new Error("done"));
      attempt.release();
    }
  }
}

/** If it cannot be released, it ends by itself. */
async function releaseLease(
  line: TokenLine,
  name: string,
  lease: string,
  clock: TokenLine["config"]["clock"],
): Promise<void> {
  const { controller } = linkedController(undefined);
  const timer = new AbortController();
  clock.sleep(RELEASE_MS, timer.signal).then(
    () => controller.abort(new Error("not released in time")),
    () => undefined,
  );
  const options = { method: "DELETE", lease, signal: controller.signal } as const;
  await line.read(leasePath(name), options).catch(() => undefined);
  timer.abort(new Error("done"));
}

/** Runs the effect unless its result is recorded, and records the result. */
export async function runOnce<T extends Json>(
  line: TokenLine,
  key: string,
  effect: (key: string) => Promise<T>,
  { onUnknown = "fail", signal }: OnceOptions,
): Promise<T> {
  const path = `/once/${encodeURIComponent(key)}`;
  const start = async (body: object) => {
    const options = { method: "POST", body, key: randomKey(), signal } as const;
    const { status, body: answer } = await line.read(path, options);
    return { ...answer.once, isOurs: status === 201 };
  };
  let once = await start({});
  if (!once.isOurs && once.status !== "done") {
    if (onUnknown === "fail") throw new UnknownOutcomeError(key);
    once = await start({ retry: true });
  }
  if (once.status === "done") return once.result as T;
  const result = await effect(key);
  const body = { result: result ?? null };
  const ended = (await line.read(path, { method: "PUT", body, signal })).body.once;
  return ended.result as T;
}
