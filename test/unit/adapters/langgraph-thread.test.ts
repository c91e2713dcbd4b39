import { describe, expect, it } from "vitest";
import type { EventInput, Session } from "../../../src/client";
import { Thread } from "../../../src/adapters/langgraph/thread";

/** Stores blobs in memory. */
class BlobStore {
  readonly #blobs = new Map<string, string>();

  async putBlob(text: string) {
    const hash = `${this.#blobs.size}`;
    this.#blobs.set(hash, text);
    return { size: text.length, parts: [hash] };
  }

  async getBlob({ parts: [hash = ""] }: { parts: readonly string[] }) {
    return new TextEncoder().encode(this.#blobs.get(hash));
  }
}

const session = new BlobStore() as unknown as Session;

class ThreadLog {
  readonly events: EventInput[] = [];
  readonly thread = new Thread();

  append(events: readonly EventInput[], thread = this.thread): void {
    for (const { type, payload = {} } of events) {
      thread.fold({ seq: this.events.length + 1, type, at: 0, payload });
      if (thread === this.thread) this.events.push({ type, payload });
    }
  }

  async put(id: string, parent: string | undefined, messages: readonly unknown[]): Promise<void> {
    const value = { json: JSON.stringify(messages) };
    const base = { ns: "", id, parent, checkpoint: "{}", metadata: "{}" };
    const values = [["messages", `${messages.length}`, value]] as const;
    this.append(await this.thread.checkpointEvents({ ...base, values }, session));
  }

  async read(id: string, thread = this.thread): Promise<unknown> {
    const value = thread.get("", id)?.values.get("messages")?.value;
    return value === undefined ? undefined : JSON.parse(await thread.read(value, session));
  }

  bytes(): number {
    return JSON.stringify(this.events).length;
  }
}

const message = (n: number, length = 500) => ({ n, text: String(n).padEnd(length, "x") });

describe("a thread", () => {
  it("stores only the new message when a list grows by one, and reads the list back whole", async () => {
    const log = new ThreadLog();
    const list: object[] = [];
    const ids: string[] = [];
    for (let n = 0; n < 100; n += 1) {
      list.push(message(n));
      await log.put(`c${n}`, ids.at(-1), list);
      ids.push(`c${n}`);
    }
    expect(await log.read("c99")).toEqual(list);
    expect(await log.read("c10")).toEqual(list.slice(0, 11));
    expect(log.bytes()).toBeLessThan(2 * JSON.stringify(list).length);
    const other = new Thread();
    log.append(log.events, other);
    expect(await log.read("c99", other)).toEqual(list);
  });

  it("separates branches that use the same version for different values", async () => {
    const log = new ThreadLog();
    await log.put("a", undefined, [message(1)]);
    await log.put("b", "a", [message(1), message(2)]);
    await log.put("c", "a", [message(1), message(3)]);
    expect(await log.read("b")).toEqual([message(1), message(2)]);
    expect(await log.read("c")).toEqual([message(1), message(3)]);
  });

  it("accepts lists that shrink, change in the middle or become empty", async () => {
    const log = new ThreadLog();
    await log.put("a", undefined, [message(1), message(2), message(3)]);
    await log.put("b", "a", [message(1), message(9), message(3)]);
    await log.put("c", "b", [message(1)]);
    await log.put("d", "c", []);
    await log.put("e", "d", [message(5)]);
    expect(await log.read("a")).toEqual([message(1), message(2), message(3)]);
    expect(await log.read("b")).toEqual([message(1), message(9), message(3)]);
    expect(await log.read("c")).toEqual([message(1)]);
    expect([await log.read("d"), await log.read("e")]).toEqual([[], [message(5)]]);
  });

  it("stores large values as blobs, and equal values once", async () => {
    const log = new ThreadLog();
    const large = message(1, 100_000);
    await log.put("a", undefined, [large]);
    await log.put("b", undefined, [large, large]);
    expect(await log.read("b")).toEqual([large, large]);
    expect(log.bytes()).toBeLessThan(2_000);
  });

  it("stores a write once per task and index, and lets a later error replace an earlier one", async () => {
    const { thread } = new ThreadLog();
    const write = async (index: number, json: string) => {
      const writes = [["x", index, { json }]] as const;
      const events = await thread.writesEvents({ ns: "", id: "a", task: "t", writes }, session);
      for (const { type, payload = {} } of events) thread.fold({ seq: 1, type, at: 0, payload });
    };
    await write(0, "1");
    await write(0, "2");
    await write(-1, "3");
    await write(-1, "4");
    const base = { ns: "", id: "a", parent: undefined, checkpoint: "{}", metadata: "{}" };
    const events = await thread.checkpointEvents({ ...base, values: [] }, session);
    for (const { type, payload = {} } of events) thread.fold({ seq: 2, type, at: 0, payload });
    const stored = [...(thread.get("", "a")?.writes.values() ?? [])];
    expect(await Promise.all(stored.map(({ value }) => thread.read(value, session)))).toEqual([
      "1",
      "4",
    ]);
  });
});
