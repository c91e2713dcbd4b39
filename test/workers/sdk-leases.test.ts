/** Leases and effects that happen once, with the SDK. */
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Baton, LeaseLostError, UnknownOutcomeError, type Session } from "../../src/client/index";

const worker = exports as unknown as { default: { fetch(request: Request): Promise<Response> } };

const connect = (onRequest: (request: Request) => void = () => undefined): Baton =>
  Baton.connect("http://baton.test", {
    fetch: (url, init) => {
      const request = new Request(url, init);
      onRequest(request);
      return worker.default.fetch(request);
    },
  });

/** A second participant of the session. */
async function colleague(session: Session): Promise<Session> {
  const { participantToken } = await session.handoff({ scopes: ["append"] });
  return connect().resume(participantToken);
}

describe("the work under a lease", () => {
  it("has the lease, and everything that it sends names it", async () => {
    const leases: (string | null)[] = [];
    const session = await connect(({ headers }) =>
      leases.push(headers.get("Baton-Lease")),
    ).create();
    leases.length = 0;
    const result = await session.lease("worker", async ({ session: leased, lease }) => {
      await leased.append({ type: "a.b" });
      await leased.setFields({ a: 1 });
      await leased.get();
      return lease.number;
    });
    const stamp = `worker=${result}`;
    expect(leases).toEqual([null, stamp, stamp, stamp, stamp]);
    expect(session.state?.fields).toEqual({ a: 1 });
    await session.setFields({ a: 2 });
    expect(leases.at(-1)).toBeNull();
  });

  it("excludes others until it ends, and not longer", async () => {
    const session = await connect().create();
    const other = await colleague(session);
    await session.lease("worker", async () => {
      const refused = other.lease("worker", async () => "never");
      await expect(refused).rejects.toMatchObject({
        code: "lease_held",
        problem: { holder: { participant: "par_1" } },
      });
    });
    expect(await other.lease("worker", async () => "now")).toBe("now");
  });

  it("waits for a lease that is held, if it is asked to", async () => {
    const session = await connect().create();
    const other = await colleague(session);
    const order: string[] = [];
    let waiting: Promise<number> | undefined;
    await session.lease("worker", async () => {
      waiting = other.lease("worker", async () => order.push("second"), { waitMs: 60_000 });
      await session.append({ type: "a.b" });
      order.push("first");
    });
    await waiting;
    expect(order).toEqual(["first", "second"]);
  });

  it("keeps its lease for longer than it lasts, by renewing it", async () => {
    const session = await connect().create();
    const other = await colleague(session);
    const ttlMs = 600;
    await session.lease(
      "worker",
      async ({ session: leased, lease }) => {
        const past = Date.parse(lease.expiresAt) + ttlMs;
        await expect.poll(() => Date.now()).toBeGreaterThan(past);
        await expect(other.lease("worker", async () => 1)).rejects.toMatchObject({
          code: "lease_held",
        });
        await leased.append({ type: "a.b" });
      },
      { ttlMs },
    );
  });

  it("is told when its lease is lost, and cannot write any more", async () => {
    const session = await connect().create();
    const work = session.lease("worker", async ({ session: leased, signal }) => {
      await session.resume();
      await expect(leased.append({ type: "a.b" })).rejects.toMatchObject({ code: "lease_lost" });
      expect(signal.aborted).toBe(true);
      expect(signal.reason).toBeInstanceOf(LeaseLostError);
    });
    await expect(work).rejects.toThrow(LeaseLostError);
  });

  it("is told by a refused renewal too", async () => {
    const session = await connect().create();
    const work = session.lease(
      "worker",
      async ({ signal }) => {
        await session.resume();
        await new Promise((settle) => signal.addEventListener("abort", settle));
      },
      { ttlMs: 600 },
    );
    await expect(work).rejects.toThrow(LeaseLostError);
  });

  it("releases its lease also if it fails, and its error is thrown", async () => {
    const session = await connect().create();
    const failed = session.lease("worker", () => Promise.reject(new Error("the disk is full")));
    await expect(failed).rejects.toThrow("the disk is full");
    expect(await session.lease("worker", async () => "again")).toBe("again");
  });
});

const fail = (): Promise<never> => Promise.reject(new Error("no answer"));

describe("an effect that happens once", () => {
  it("runs once, with its key, and everyone else gets its result", async () => {
    const session = await connect().create();
    const other = await colleague(session);
    const keys: string[] = [];
    const effect = async (key: string) => ({ nth: keys.push(key) });
    for (const one of [session, session, other]) {
      const result = await one.lease("worker", ({ session: leased }) =>
        leased.once("invoice-17", effect),
      );
      expect(result).toEqual({ nth: 1 });
    }
    expect(keys).toEqual(["invoice-17"]);
  });

  it("runs once for two calls at the same time", async () => {
    const session = await connect().create();
    let count = 0;
    await session.lease("worker", async ({ session: leased }) => {
      const run = () => leased.once("a", async () => (count += 1));
      expect(await Promise.all([run(), run()])).toEqual([1, 1]);
    });
  });

  it("that failed is not run again unless the caller says so", async () => {
    const session = await connect().create();
    const attempt = (effect: () => Promise<string>, onUnknown?: "retry" | "fail") =>
      session.lease("worker", ({ session: leased }) =>
        leased.once("pay", effect, onUnknown === undefined ? {} : { onUnknown }),
      );
    await expect(attempt(fail)).rejects.toThrow("no answer");
    await expect(attempt(async () => "paid")).rejects.toThrow(UnknownOutcomeError);
    expect(await attempt(async () => "paid", "retry")).toBe("paid");
    expect(await attempt(fail)).toBe("paid");
  });

  it("is not recorded by a process that lost its lease", async () => {
    const session = await connect().create();
    const stale = session.lease("worker", ({ session: leased }) =>
      leased.once("pay", async () => {
        await session.resume();
        return "by the old one";
      }),
    );
    await expect(stale).rejects.toMatchObject({ code: "lease_lost" });
    const next = await session.lease("worker", ({ session: leased }) =>
      leased.once("pay", async () => "by the new one", { onUnknown: "retry" }),
    );
    expect(next).toBe("by the new one");
  });

  it("needs a lease", async () => {
    const session = await connect().create();
    expect(() => session.once("pay", async () => 1)).toThrow(TypeError);
  });
});
