import { expect, it } from "vitest";
import { Baton, TransportError, type ConnectOptions } from "../../../src/client/index.ts";
import { FakeClock } from "./fake-clock.ts";

const MINUTE_MS = 60_000;
const SESSION = { id: "ses_one", title: null, state: "draft", version: 1, head: 2 };
const EVENT = { seq: 3, type: "work.step", payload: { n: 1 } };

/** A server that answers a create and then cannot be reached for `outageMs`. */
async function connectBeforeOutage(outageMs: number, retry: ConnectOptions["retry"] = {}) {
  const clock = new FakeClock();
  let unreachableUntil: number | null = null;
  const fetch: NonNullable<ConnectOptions["fetch"]> = async (url) => {
    if (unreachableUntil === null) {
      unreachableUntil = clock.now() + outageMs;
      return Response.json({ session: SESSION, resumeToken: "rtok_first" }, { status: 201 });
    }
    if (clock.now() < unreachableUntil) throw new TypeError("fetch failed");
    return url.includes("/changes")
      ? Response.json({ changes: [{ number: 1 }], nextAfter: 1 })
      : new Response(`id: 3\ndata: ${JSON.stringify(EVENT)}\n\n`);
  };
  const options = { fetch, clock, random: () => 0.5, retry, key: `bkey_${"k".repeat(43)}` };
  const baton = Baton.connect("http://baton.test", options);
  const session = await baton.create();
  const startedAt = clock.now();
  return { baton, session, elapsedMs: () => clock.now() - startedAt };
}

const failure = (work: Promise<unknown>) => work.catch((error: unknown) => error);

it("a wait survives 15 minutes without a connection, and no longer", async () => {
  const outlived = await connectBeforeOutage(14 * MINUTE_MS);
  expect(await outlived.session.waitFor("work.step", { after: 2 })).toMatchObject({ seq: 3 });

  const failed = await connectBeforeOutage(16 * MINUTE_MS);
  expect(await failure(failed.session.waitFor("work.step"))).toBeInstanceOf(TransportError);
  expect(failed.elapsedMs()).toBeGreaterThanOrEqual(15 * MINUTE_MS);
  expect(failed.elapsedMs()).toBeLessThan(15.5 * MINUTE_MS);
});

it("an event stream survives an outage for as long as the call, or else the connection, allows", async () => {
  const outageMs = 24 * 60 * MINUTE_MS;
  const patient = await connectBeforeOutage(outageMs, { outageMs: Infinity });
  expect((await patient.session.events({ after: 2 }).next()).value).toMatchObject({ seq: 3 });
  expect(patient.elapsedMs()).toBeGreaterThanOrEqual(outageMs);

  const hasty = await connectBeforeOutage(outageMs, { outageMs: Infinity });
  const ended = await failure(hasty.session.events({ after: 2, outageMs: MINUTE_MS }).next());
  expect(ended).toBeInstanceOf(TransportError);
  expect(hasty.elapsedMs()).toBeLessThan(1.5 * MINUTE_MS);
});

it("changes of an owner's list survive an outage as long", async () => {
  const { baton } = await connectBeforeOutage(14 * MINUTE_MS);
  expect((await baton.sessions.changes().next()).value).toEqual({ number: 1 });
});

it("a replay alone is a request like any other, and fails soon", async () => {
  const { session, elapsedMs } = await connectBeforeOutage(14 * MINUTE_MS);
  const ended = await failure(session.events({ after: 0, untilReplayed: true }).next());
  expect(ended).toBeInstanceOf(TransportError);
  expect(elapsedMs()).toBeLessThan(MINUTE_MS);
});
