/** Sessions typed by their fields, writes that merge, and the errors that a caller gets. */
import { createServer } from "node:net";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  Baton,
  MemoryTokenStore,
  unwrap,
  type Fields,
  type SavedSession,
  type TransportError,
} from "../../src/client/index.ts";
import { sharedServer } from "../support/server.ts";

const server = sharedServer();
const connect = (store = new MemoryTokenStore()): Baton => Baton.connect(server.url, { store });

interface Visa {
  country: string;
  days: number;
}

describe("a session typed by its fields", () => {
  it("accepts and shows the declared ones, by types alone", async () => {
    const session = await connect()
      .session<Visa>()
      .create({ fields: { country: "PT" } });
    unwrap(await session.setFields({ days: 90 }));
    expectTypeOf(session.state!.fields.days).toEqualTypeOf<number | undefined>();
    // @ts-expect-error there is no such field
    expect(session.state?.fields.dayz).toBeUndefined();
    // @ts-expect-error a number is wanted; without a schema the server takes any value
    unwrap(await session.setFields({ days: "90" }));
    const merged = await session.update(({ fields }) => ({ fields: { days: fields.days ?? 0 } }));
    expect(unwrap(merged)?.session.fields).toEqual({ country: "PT", days: "90" });
    expect(unwrap(await session.update(() => null))).toBeNull();
  });

  it("gets its schema from zod, and the server enforces it", async () => {
    const visas = connect().session(z.object({ country: z.string(), days: z.number().int() }));
    const session = await visas.open("visa", { fields: { country: "PT" } });
    expectTypeOf(session.state!.fields.days).toEqualTypeOf<number | undefined>();
    expect(session.state?.missingFields).toEqual(["days"]);
    await expect(session.setFields({ days: 1.5 })).rejects.toMatchObject({
      code: "invalid_fields",
    });
  });

  it("gets it from a JSON Schema as const", async () => {
    const visas = connect().session({
      type: "object",
      properties: {
        country: { enum: ["PT", "ES"] },
        stops: { type: "array", items: { type: "string" } },
      },
      required: ["country"],
    });
    const session = await visas.create();
    expectTypeOf(session.state!.fields.country).toEqualTypeOf<"PT" | "ES" | undefined>();
    expectTypeOf(session.state!.fields.stops).toEqualTypeOf<readonly string[] | undefined>();
    unwrap(await session.setFields({ country: "ES", stops: ["Vigo"] }));
    expect(session.state?.fields).toEqual({ country: "ES", stops: ["Vigo"] });
  });
});

it("runWithResume keeps the types of the session, and a success adds no event to the log", async () => {
  const visas = connect().session<Visa, { "visa.read": { readonly page: number } }>();
  const session = await visas.create({ fields: { days: 90 } });
  const outcome = await session.runWithResume(
    async ({ session: current }) => {
      expectTypeOf(current.state!.fields.days).toEqualTypeOf<number | undefined>();
      await current.append({ type: "visa.read", payload: { page: 1 } });
      // @ts-expect-error there is no such field
      expect(current.state?.fields.dayz).toBeUndefined();
      return current.state?.fields.days;
    },
    {
      onProgress(progress) {
        if (progress.kind !== "started") return;
        expectTypeOf(progress.session.state!.fields.days).toEqualTypeOf<number | undefined>();
      },
    },
  );
  expect(outcome).toMatchObject({ outcome: "success", value: 90 });
  expectTypeOf(outcome.session.state!.fields.country).toEqualTypeOf<string | undefined>();
  const { events } = await session.page({ after: 0, types: ["stop.*", "visa.read"] });
  expect(events.map(({ type }) => type)).toEqual(["visa.read"]);
});

it("submit, approve and finalize return the proof of their writes", async () => {
  const session = await connect().create({ review: { required: true } });
  const handoff = await session.handoff({ scopes: ["review"], actor: { id: "reviewer" } });
  const reviewer = await connect().resume(handoff.participantToken);
  const submitted = unwrap(await session.submit());
  await reviewer.resume();
  const approved = unwrap(await reviewer.approve());
  await session.resume();
  const finalized = unwrap(await session.finalize());
  const proven = [submitted, approved, finalized].map(({ session: after, proof }) => [
    proof?.sessionId === after.id,
    proof?.seq === after.head,
  ]);
  expect(proven).toEqual([
    [true, true],
    [true, true],
    [true, true],
  ]);
  const { seq = 0 } = finalized.proof ?? {};
  expect((await session.proof({ seq })).chain).toBe(finalized.proof?.chain);
});

describe("events", () => {
  it("that are declared are checked on write by the compiler, and by their schemas before they are sent", async () => {
    const step = z.object({ step: z.number().int() });
    const kind = connect().session(z.object({ a: z.number() }), {
      events: { "work.step": step, "work.done": z.object({}) },
    });
    const session = await kind.open("checked");
    await session.append([
      { type: "work.step", payload: { step: 7 } },
      { type: "work.done", payload: {} },
    ]);
    // @ts-expect-error a number is wanted
    const wrong = session.append({ type: "work.step", payload: { step: "7" } });
    await expect(wrong).rejects.toThrow(/"work.step" does not fit its schema at step: /);
    // @ts-expect-error there is no such event
    const unknown = session.append({ type: "work.stepp", payload: { step: 7 } });
    await expect(unknown).rejects.toThrow('The event "work.stepp" is not declared.');
    // @ts-expect-error its payload is missing
    await expect(session.append({ type: "work.step" })).rejects.toThrow(TypeError);
    const { child } = unwrap(await session.fork({ reason: "to go on" }));
    // @ts-expect-error a number is wanted
    const late = child.appendAt(2, [{ type: "work.step", payload: {} }]);
    await expect(late).rejects.toThrow(TypeError);
    const types = { after: 0, types: ["work.step", "work.done"] } as const;
    expect((await session.page(types)).events.map(({ type }) => type)).toEqual([
      "work.step",
      "work.done",
    ]);
  });

  it("are distinguished by their type, the server's and declared ones alike", async () => {
    const kind = connect().session<Fields, { "work.step": { readonly step: number } }>();
    const session = await kind.create({ fields: { a: 1 } });
    await session.append({ type: "work.step", payload: { step: 7 } });
    const received: unknown[] = [];
    for await (const event of session.events({ after: 0, untilReplayed: true })) {
      if (event.type === "fields.updated") {
        received.push(event.payload.changes.map(({ field }) => field));
      }
      if (event.type === "work.step") received.push(event.payload.step + 1);
    }
    expect(received).toEqual([["a"], 8]);
  });

  it("are typed by the requested types", async () => {
    const session = await connect().create();
    await session.append({ type: "own.note", payload: { text: "hello" } });
    const { events } = await session.page({ after: 0, types: ["own.note", "session.created"] });
    const texts = events.map((one) =>
      one.type === "own.note" ? one.payload["text"] : one.payload.retentionMs > 0,
    );
    expect(texts).toEqual([true, "hello"]);
    const event = await session.waitFor("own.note", { after: 0 });
    expectTypeOf(event!.type).toEqualTypeOf<"own.note">();
  });
});

describe("a conflict", () => {
  it("is merged on request if no other writer changed the same fields", async () => {
    const store = new MemoryTokenStore();
    const first = await connect(store).create({ fields: { a: 1, b: 1 } }, { as: "shared" });
    const { participantToken } = await first.handoff({ scopes: ["fill"] });
    const second = await connect().resume(participantToken);
    unwrap(await first.setFields({ a: 2 }));

    const merged = unwrap(await second.setFields({ b: 2 }, { onConflict: "merge" }));
    expect(merged.session.fields).toEqual({ a: 2, b: 2 });

    unwrap(await first.setFields({ b: 3 }, { ifMatch: (await first.get()).version }));
    const same = await second.setFields({ b: 4 }, { onConflict: "merge" });
    expect(same).toMatchObject({ ok: false, conflict: { current: { fields: { b: 3 } } } });
    expect((await first.get()).fields).toEqual({ a: 2, b: 3 });
  });

  it("on the title is not merged", async () => {
    const first = await connect().create({ title: "One" });
    const { participantToken } = await first.handoff({ scopes: ["fill"] });
    const second = await connect().resume(participantToken);
    unwrap(await first.set({ title: "Two" }));
    expect(await second.set({ title: "Three" }, { onConflict: "merge" })).toMatchObject({
      ok: false,
    });
    unwrap(await second.set({ fields: { x: 1 } }, { onConflict: "merge" }));
    expect((await first.get()).title).toBe("Two");
  });
});

describe("an unreachable server", () => {
  it("is reported within seconds, with the request saved", async () => {
    const port = await freePort();
    const store = new MemoryTokenStore();
    const baton = Baton.connect(`http://127.0.0.1:${port}`, { store });
    const failed = await baton.create({}, { as: "work" }).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      name: "TransportError",
      message: expect.stringContaining("ECONNREFUSED") as string,
    });
    // The waits before a sixth attempt would be seven seconds, and half a minute before the last one.
    expect((failed as TransportError).attempts).toBeLessThanOrEqual(5);
    const saved = (await store.load("work")) as SavedSession;
    expect(saved.pending?.operation).toBe("create");
  });
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
