import { describe, expect, it } from "vitest";
import { Baton, unwrap, type LogEvent } from "../../src/client/index.ts";
import { startLossyProxy } from "../support/lossy-proxy.ts";
import { seeded } from "../support/seeded.ts";
import { sharedServer } from "../support/server.ts";

const SEEDS = Number(process.env["SDK_SEEDS"] ?? 2);
const STEPS = Number(process.env["SDK_STEPS"] ?? 40);

const server = sharedServer();

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

describe("through a network that drops before and after, delays, resets and truncates", () => {
  it.each(upTo(SEEDS))("nothing is lost and nothing is duplicated (seed %i)", async (seed) => {
    const proxy = await startLossyProxy(server.url, seed, 0.4);
    const retry = { baseMs: 2, maxMs: 20, attempts: 40 };
    const baton = Baton.connect(proxy.url, { retry, random: seeded(seed) });
    const session = await baton.create({ title: "Lossy" });

    for (const step of upTo(STEPS)) {
      await session.append({ type: "work.step", payload: { step } });
      if (step % 4 === 0) unwrap(await session.setFields({ step }));
      if (step % 10 === 0) await session.resume();
    }
    const { participantToken } = await session.handoff({ scopes: ["view"] });
    unwrap(await session.submit());
    unwrap(await session.finalize());

    const seen: LogEvent[] = [];
    for await (const event of session.events({ after: 0 })) seen.push(event);
    const direct = await Baton.connect(server.url).attach(participantToken);
    const { events, head } = await direct.page({ after: 0, limit: 1_000 });
    await proxy.stop();

    expect(seen).toEqual(events);
    expect(events.map(({ seq }) => seq)).toEqual(upTo(head));
    const countOf = (type: string): number => events.filter((one) => one.type === type).length;
    const steps = (events as readonly LogEvent[]).filter(({ type }) => type === "work.step");
    expect(steps.map(({ payload }) => payload["step"])).toEqual(upTo(STEPS));
    expect(countOf("fields.updated")).toBe(Math.floor(STEPS / 4));
    expect(countOf("token.accessed")).toBe(Math.floor(STEPS / 10));
    expect(countOf("handoff.created")).toBe(1);
    expect(countOf("session.created")).toBe(1);
    for (const [fault, count] of Object.entries(proxy.counts)) {
      expect(count, fault).toBeGreaterThan(0);
    }
  });
});
