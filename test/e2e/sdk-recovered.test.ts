/** The leftovers of an earlier process: a request without an answer, and a fork's prompt. */
import { describe, expect, it } from "vitest";
import { Baton, MemoryTokenStore, StopError, TransportError } from "../../src/client/index.ts";
import { sharedServer } from "../support/server.ts";

const server = sharedServer();
const connect = (store = new MemoryTokenStore()): Baton => Baton.connect(server.url, { store });

/** A client with requests that arrive and with some answers that are lost. */
const connectLossy = (
  store: MemoryTokenStore,
  isLost: (url: string, init: RequestInit) => boolean,
): Baton =>
  Baton.connect(server.url, {
    store,
    retry: { attempts: 1 },
    fetch: async (url, init) => {
      const answer = await fetch(url, init);
      if (isLost(url, init)) throw new TypeError("the answer was lost");
      return answer;
    },
  });

describe("the recovered request", () => {
  it("is empty if no earlier process left anything", async () => {
    expect((await connect().create()).recovered).toBeNull();
    const store = new MemoryTokenStore();
    const opened = await connect(store).open("work");
    expect(opened.recovered).toBeNull();
    expect(opened.state?.state).toBe("draft");
    expect((await connect(store).open("work")).recovered).toBeNull();
  });

  it("is the create if its answer never came", async () => {
    const store = new MemoryTokenStore();
    const lossy = connectLossy(store, () => true);
    await expect(lossy.create({}, { as: "one" })).rejects.toBeInstanceOf(TransportError);
    await expect(lossy.open("two")).rejects.toBeInstanceOf(TransportError);

    const recovered = { operation: "create", isDone: true, isReplayed: true };
    expect((await connect(store).create({}, { as: "one" })).recovered).toMatchObject(recovered);
    expect((await connect(store).open("two")).recovered).toMatchObject(recovered);
  });

  it("has its outcome and no token", async () => {
    const store = new MemoryTokenStore();
    const lossy = connectLossy(store, (_, init) => init.method === "PATCH");
    const session = await lossy.create({}, { as: "work" });
    await expect(session.setFields({ a: 1 })).rejects.toBeInstanceOf(TransportError);

    const again = await connect(store).attach("work");
    expect(again.recovered).toEqual({
      operation: "setFields",
      isDone: true,
      status: 200,
      isReplayed: true,
      problem: null,
    });
    expect(JSON.stringify(again.recovered)).not.toContain("rtok_");
    expect((await again.get()).fields).toEqual({ a: 1 });
  });
});

const exhausted = () => Promise.reject(new StopError({ reason: "context_exhausted" }));

describe("a fork's prompt", () => {
  it("is given again if the process was killed while the child's work ran", async () => {
    const store = new MemoryTokenStore();
    const session = await connect(store).open("work", { title: "Long work" });
    const prompt = await new Promise<string | null>((started) => {
      void session.runWithResume(async (work) => {
        if (work.prompt === null) return exhausted();
        started(work.prompt);
        return new Promise(() => undefined);
      });
    });
    expect(prompt).toContain("Continue this work");

    const child = await connect(store).open("work");
    const outcome = await child.runWithResume(async (work) => work.prompt);
    expect(outcome).toMatchObject({ outcome: "success", value: prompt, attempt: 1 });
    expect(child.id).not.toBe(session.id);
  });

  it("is given if the process was killed before the answer to the fork came", async () => {
    const store = new MemoryTokenStore();
    const lossy = connectLossy(store, (url) => url.endsWith("/fork"));
    const session = await lossy.open("work", { title: "Long work" });
    await expect(session.runWithResume(exhausted)).rejects.toBeInstanceOf(TransportError);

    const child = await connect(store).open("work");
    const outcome = await child.runWithResume(async (work) => work.prompt);
    expect(outcome).toMatchObject({
      value: expect.stringContaining("Continue this work") as string,
    });
  });
});
