/** One session by its owner's name for it, for any caller, machine and store. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Baton, MemoryTokenStore, unwrap } from "../../src/client/index.ts";
import { Journal } from "../../src/adapters/journal.ts";
import { newKey, ownersText } from "../support/owners.ts";
import { startServer, temporaryFolder } from "../support/server.ts";

const folder = temporaryFolder();
const key = newKey();
let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer(folder.path, undefined, { OWNERS: ownersText({ acme: [key] }) });
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

/** A machine of its own, with an empty store. */
const machine = (store = new MemoryTokenStore()): Baton =>
  Baton.connect(server.url, { store, key });

const journal = (types: string[]) =>
  new Journal(
    { baton: machine() },
    { fold: ({ type }) => void types.push(type), reset: () => void types.splice(0) },
    "Thread",
    "thread",
    "1",
  );

describe("open by externalId", () => {
  it("creates one session however many machines open it at once", async () => {
    const opens = Array.from({ length: 8 }, () =>
      machine().open("claim", { title: "Claim" }, { externalId: "claim-1" }),
    );
    const sessions = await Promise.all(opens);
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(1);
    const [first, second] = sessions;
    unwrap(await first!.setFields({ a: 1 }));
    const merged = unwrap(await second!.setFields({ b: 2 }, { onConflict: "merge" }));
    expect(merged.session).toMatchObject({ externalId: "claim-1", fields: { a: 1, b: 2 } });
  });

  it("find names the actor, and ignores ended sessions on request", async () => {
    const store = new MemoryTokenStore();
    const externalId = "claim-ends";
    const first = await machine(store).open("claim", {}, { externalId });
    const found = await machine().find("claim", { externalId, actor: { id: "finder" } });
    const { participants = [] } = (await found?.get()) ?? {};
    expect(participants.at(-1)).toMatchObject({
      actor: { id: "finder" },
      scopes: ["view", "append", "fill", "handoff", "own"],
    });
    const opener = { actor: { id: "opener" } };
    const other = await machine().open("claim", opener, { externalId });
    expect(other.state?.participants.at(-1)?.actor.id).toBe("opener");

    unwrap(await first.cancel());
    const baton = machine(store);
    expect((await baton.find("claim", { externalId }))?.id).toBe(first.id);
    expect(await baton.find("claim", { onEnded: "ignore" })).toBeNull();
    expect(await baton.find("claim", { externalId, onEnded: "ignore" })).toBeNull();
    const fresh = await machine().open("claim", {}, { externalId, onEnded: "fresh" });
    expect((await baton.find("claim", { externalId, onEnded: "ignore" }))?.id).toBe(fresh.id);
  });

  it("finds it again if the store was lost, or if the saved token is no longer valid", async () => {
    const created = await machine().open("claim", {}, { externalId: "claim-2" });
    unwrap(await created.setFields({ a: 1 }));
    const found = await machine().find("claim", { externalId: "claim-2" });
    expect(found?.id).toBe(created.id);
    expect(await machine().find("claim", { externalId: "claim-none" })).toBeNull();

    const store = new MemoryTokenStore();
    const invalidated = await machine(store).open("claim", {}, { externalId: "claim-2" });
    const own = invalidated.state?.participants.at(-1)?.id ?? "";
    await created.revoke({ participant: own });
    const again = await machine(store).open("claim", {}, { externalId: "claim-2" });
    expect(again.id).toBe(created.id);
    expect(again.state?.fields).toEqual({ a: 1 });
  });

  it("reports that it has ended, or creates a new one on request", async () => {
    const ended = await machine().open("claim", {}, { externalId: "claim-3" });
    unwrap(await ended.cancel());
    const input = { externalId: "claim-3" };
    await expect(machine().open("claim", {}, input)).rejects.toMatchObject({ status: 410 });
    const fresh = await machine().open("claim", {}, { ...input, onEnded: "fresh" });
    expect(fresh.id).not.toBe(ended.id);
  });

  it("lets an adapter continue where another machine stopped", async () => {
    const types: string[] = [];
    await journal([]).append([{ type: "work.one" }]);
    await journal(types).append([{ type: "work.two" }]);
    expect(types.filter((type) => type.startsWith("work."))).toEqual(["work.one", "work.two"]);
  });
});
