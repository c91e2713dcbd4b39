import { expect, it } from "vitest";
import { Baton, TransportError, type ConnectOptions } from "../../../src/client/index.ts";
import { FakeClock } from "./fake-clock.ts";

const MINUTE_MS = 60_000;
const SESSION = { id: "ses_one", title: null, state: "draft", version: 1, head: 2 };
const EVENT = { seq: 3, type: "work.step", payload: { n: 1 } };

/** A server that answers a create, and from then on only after so long. */
async function created(outageMs: number, retry: ConnectOptions["retry"] = {}) {
  const clock = new FakeClock();
  let goneUntil: number | null = null;
  const fetch: NonNullable<ConnectOptions["fetch"]> = async (url) => {
    if (goneUntil === null) {
      goneUntil = clock.now() + outageMs;
      return Response.json({ session: SESSION, resumeToken: "rtok_first" }, { status: 201 });
    }
    if (clock.now() < goneUntil) throw new TypeError("fetch failed");
    return url.includes("/changes")
      ? Response.json({ changes: [{ number: 1 }], nextAfter: 1 })
      : new Response(`id: 3\ndata: ${JSON.stringify(EVENT)}\n\n`);
  };
  const options = { fetch, clock, random: () => 0.5, retry, key: `bkey_${"k".repeat(43)}` };
  const baton = Baton.connect("http://baton.test", options);
  const session = await baton.create();
  const began = clock.now();
  return { baton, session, passedMs: () => clock.now() - began };
}

const failure = (work: Promise<unknown>) => work.catch((error: unknown) => error);

it("a wait goes on for 15 minutes without a connection, and no longer", async () => {
  const outlived = await created(14 * MINUTE_MS);
  expect(await outlived.session.waitFor("work.step", { after: 2 })).toMatchObject({ seq: 3 });

  const given = await created(16 * MINUTE_MS);
  expect(await failure(given.session.waitFor("work.step"))).toBeInstanceOf(TransportError);
  expect(given.passedMs()).toBeGreaterThanOrEqual(15 * MINUTE_MS);
  expect(given.passedMs()).toBeLessThan(15.5 * MINUTE_MS);
});

it("events go on for as long as the call, or else the connection, says", async () => {
  const outageMs = 24 * 60 * MINUTE_MS;
  const patient = await created(outageMs, { outageMs: Infinity });
  expect((await patient.session.events({ after: 2 }).next()).value).toMatchObject({ seq: 3 });
  expect(patient.passedMs()).toBeGreaterThanOrEqual(outageMs);

  const hasty = await created(outageMs, { outageMs: Infinity });
  const ended = await failure(hasty.session.events({ after: 2, outageMs: MINUTE_MS }).next());
  expect(ended).toBeInstanceOf(TransportError);
  expect(hasty.passedMs()).toBeLessThan(1.5 * MINUTE_MS);
});

it("changes of an owner's list go on as long", async () => {
  const { baton } = await created(14 * MINUTE_MS);
  expect((await baton.sessions.changes().next()).value).toEqual({ number: 1 });
});

it("a replay alone is a request like any other, and is told soon", async () => {
  const { session, passedMs } = await created(14 * MINUTE_MS);
  const ended = await failure(session.events({ after: 0, untilReplayed: true }).next());
  expect(ended).toBeInstanceOf(TransportError);
  expect(passedMs()).toBeLessThan(MINUTE_MS);
});
