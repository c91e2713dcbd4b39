/**
 * The contracts that frameworks have for a store, in our own tests and without the frameworks. `npm
 * run adapters` runs the frameworks' own suites.
 */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  answerChat,
  BatonChatTransport,
  createResumableStreamContext,
} from "../../src/adapters/ai";
import { BatonSessionStore, type FoldSummary } from "../../src/adapters/claude";
import { sessionNameFor } from "../../src/adapters/session-names";
import { BatonSession } from "../../src/adapters/openai-agents";
import { Baton, MemoryTokenStore } from "../../src/client";
import { sharedServer } from "../support/server.ts";

const server = sharedServer();
/** Processes of one machine share a store; all shared state is in the store and in the log. */
const machine = () => {
  const store = new MemoryTokenStore();
  const namespace = randomUUID();
  const connect = () => ({ baton: Baton.connect(server.url, { store }), namespace });
  return connect;
};

/** A stream with parts that a test adds. */
class Source<T> {
  #controller: ReadableStreamDefaultController<T> | null = null;
  readonly stream = new ReadableStream<T>({
    start: (controller) => {
      this.#controller = controller;
    },
  });

  more(part: T): void {
    this.#controller?.enqueue(part);
  }

  done(): void {
    this.#controller?.close();
  }
}

const entry = (type: string, more: object = {}) => ({ type, ...more });
const item = (content: string) => ({ type: "message", role: "user", content });
const call = (name: string) => ({ type: "function_call", callId: "c1", name });
const delta = (text: string) => ({ type: "text-delta", id: "1", delta: text });
const foldSessionSummary: FoldSummary = (previous, key, entries, options) => ({
  sessionId: key.sessionId,
  mtime: options?.mtime ?? 0,
  data: { count: Number(previous?.data["count"] ?? 0) + entries.length },
});
const from = (texts: readonly string[], fails = false) =>
  new ReadableStream({
    start(controller) {
      for (const text of texts) controller.enqueue(delta(text));
      if (!fails) controller.close();
    },
    pull(controller) {
      if (fails) controller.error(new Error("killed"));
    },
  });

async function textOf(stream: ReadableStream<unknown> | null | undefined): Promise<string> {
  let text = "";
  for await (const part of stream ?? []) text += String((part as { delta?: string }).delta ?? part);
  return text;
}

describe("large events", () => {
  it.each([1, 200_000, 3_000_000])("of %i characters come back as they were", async (length) => {
    const session = await Baton.connect(server.url).create();
    const text = "ä".repeat(length);
    const small = { n: 1 };
    await session.append([
      { type: "agent.note", payload: { text } },
      { type: "agent.note", payload: small },
    ]);
    const { events } = await session.page({ after: 0, types: ["agent.*"] });
    expect(events.map(({ payload }) => payload)).toEqual([{ text }, small]);
    const received = [];
    for await (const { payload } of session.events({
      after: 0,
      types: ["agent.*"],
      untilReplayed: true,
    })) {
      received.push(payload);
    }
    expect(received).toEqual([{ text }, small]);
  });

  it("that are deeply nested, or look like references to separate content, come back as they were", async () => {
    const session = await Baton.connect(server.url).create();
    let deep: Record<string, unknown> = { end: true };
    for (let n = 0; n < 60; n += 1) deep = { deep };
    const forged = { $blob: { size: 3, parts: ["0".repeat(64)] } };
    await session.append([
      { type: "agent.deep", payload: deep as never },
      { type: "agent.forged", payload: forged },
    ]);
    const { events } = await session.page({ after: 0, types: ["agent.*"] });
    expect(events.map(({ payload }) => payload)).toEqual([deep, forged]);
  });

  it("keep their order among small ones, and equal content is stored once", async () => {
    const session = await Baton.connect(server.url).create();
    const text = randomUUID().repeat(20_000);
    const types = ["agent.a", "agent.b", "agent.c"];
    await Promise.all(
      types.map((type, n) => session.append({ type, payload: { text: n === 1 ? "x" : text } })),
    );
    const { events } = await session.page({ after: 0, types: ["agent.*"] });
    expect(events.map(({ type }) => type)).toEqual(types);
    const one = await session.putBlob(text);
    expect(await session.putBlob(text)).toEqual(one);
    expect(new TextDecoder().decode(await session.getBlob(one))).toBe(text);
  });
});

describe("a Claude session store", () => {
  const KEY = { projectKey: "project", sessionId: "s1" };
  const SUB = { ...KEY, subpath: "subagents/a" };

  it("returns entries in order, by key, and to another process", async () => {
    const connect = machine();
    const store = new BatonSessionStore(connect());
    expect(await store.load(KEY)).toBeNull();
    await store.append(KEY, []);
    expect(await store.load(KEY)).toBeNull();
    await store.append(KEY, [entry("a", { nested: { x: [1, 2] } }), entry("b")]);
    await store.append(KEY, [entry("c")]);
    await store.append(SUB, [entry("sub")]);
    const other = new BatonSessionStore(connect());
    const main = [entry("a", { nested: { x: [1, 2] } }), entry("b"), entry("c")];
    expect(await other.load(KEY)).toEqual(main);
    expect(await other.load(SUB)).toEqual([entry("sub")]);
    expect(await other.listSubkeys(KEY)).toEqual([SUB.subpath]);
    expect(await other.load({ ...KEY, projectKey: "another" })).toBeNull();
  });

  it("is the same from every folder if its project has a name", async () => {
    const connect = machine();
    const here = new BatonSessionStore({ ...connect(), projectKey: "app" });
    await here.append({ projectKey: "-home-ada-app", sessionId: "s1" }, [entry("a")]);
    const there = new BatonSessionStore({ ...connect(), projectKey: "app" });
    expect(await there.load({ projectKey: "-srv-app", sessionId: "s1" })).toEqual([entry("a")]);
    expect(await there.listSessions("-srv-app")).toMatchObject([{ sessionId: "s1" }]);
    expect(await new BatonSessionStore(connect()).load({ ...KEY, projectKey: "-srv" })).toBeNull();
  });

  it("stores an entry once by its uuid, however often and by whichever process it is sent", async () => {
    const connect = machine();
    const [one, two] = [new BatonSessionStore(connect()), new BatonSessionStore(connect())];
    const entries = [1, 2, 3].map((n) => entry("user", { uuid: `u${n}`, n }));
    await Promise.all([one.append(KEY, entries), two.append(KEY, entries)]);
    await one.append(KEY, [...entries, entry("title")]);
    await one.append(KEY, [entry("title")]);
    expect(await two.load(KEY)).toEqual([...entries, entry("title"), entry("title")]);
  });

  it("lists the main transcripts of a project, with the server's times and summaries", async () => {
    const connect = machine();
    const store = new BatonSessionStore({ ...connect(), foldSessionSummary });
    expect(await store.listSessions("project")).toEqual([]);
    await store.append({ ...SUB, sessionId: "only-sub" }, [entry("x")]);
    await store.append(KEY, [entry("a"), entry("b", { uuid: "b" })]);
    await store.append(KEY, [entry("b", { uuid: "b" }), entry("c")]);
    const other = new BatonSessionStore(connect());
    const [listed, ...more] = await other.listSessions("project");
    expect([listed?.sessionId, more]).toEqual(["s1", []]);
    expect(listed?.mtime).toBeGreaterThan(Date.now() - 60_000);
    expect(await other.listSessionSummaries("project")).toEqual([
      { sessionId: "s1", mtime: listed?.mtime, data: { count: 3 } },
    ]);
  });

  it("deletes a subagent's transcript alone, and a main one with all of its subagents'", async () => {
    const connect = machine();
    const store = new BatonSessionStore(connect());
    const other = { ...KEY, subpath: "subagents/b" };
    await store.append(KEY, [entry("main")]);
    await store.append(SUB, [entry("a")]);
    await store.append(other, [entry("b")]);
    await store.delete(SUB);
    expect([await store.load(SUB), await store.load(other)]).toEqual([null, [entry("b")]]);
    await store.delete(KEY);
    expect([await store.load(KEY), await store.load(other)]).toEqual([null, null]);
    expect([await store.listSubkeys(KEY), await store.listSessions("project")]).toEqual([[], []]);
    await store.delete({ projectKey: "never", sessionId: "was" });
    await store.append(KEY, [entry("again")]);
    expect(await new BatonSessionStore(connect()).load(KEY)).toEqual([entry("again")]);
  });

  it("accepts entries of several megabytes", async () => {
    const connect = machine();
    const store = new BatonSessionStore(connect());
    const large = entry("tool", { uuid: "large", output: "x".repeat(5_000_000) });
    await store.append(KEY, [large, entry("b")]);
    expect(await new BatonSessionStore(connect()).load(KEY)).toEqual([large, entry("b")]);
  });
});

describe("a conversation of OpenAI Agents", () => {
  const sessionId = "talk";

  it("adds items, returns the last ones, pops and clears, and another process sees the same", async () => {
    const connect = machine();
    const one = new BatonSession({ ...connect(), sessionId });
    const two = new BatonSession({ ...connect(), sessionId });
    expect([await one.getSessionId(), await one.getItems()]).toEqual([sessionId, []]);
    expect(await one.popItem()).toBeUndefined();
    await one.addItems([item("a"), item("b")]);
    await two.addItems([item("c")]);
    expect(await one.getItems()).toEqual([item("a"), item("b"), item("c")]);
    expect(await two.getItems(2)).toEqual([item("b"), item("c")]);
    expect(await two.getItems(0)).toEqual([]);
    expect(await two.popItem()).toEqual(item("c"));
    expect(await one.getItems()).toEqual([item("a"), item("b")]);
    await one.clearSession();
    expect(await two.getItems()).toEqual([]);
  });

  it("applies a transaction once, also if two processes send it at the same time", async () => {
    const connect = machine();
    const all = [1, 2, 3].map(() => new BatonSession({ ...connect(), sessionId }));
    const transaction = { type: "append_items" as const, items: [item("a"), item("b")] };
    const args = { operationId: "op-1", transaction };
    await Promise.all(all.map((session) => session.applyHistoryTransaction(args)));
    await all[0]?.applyHistoryTransaction(args);
    expect(await all[1]?.getItems()).toEqual(transaction.items);
    const other = { ...args, transaction: { ...transaction, items: [item("z")] } };
    await expect(all[2]?.applyHistoryTransaction(other)).rejects.toThrow("another transaction");
    expect(await all[1]?.getItems()).toEqual(transaction.items);
  });

  it("replaces a suffix only if it matches the end of the conversation", async () => {
    const connect = machine();
    const session = new BatonSession({ ...connect(), sessionId });
    await session.addItems([item("a"), item("b"), item("c")]);
    const replace = (operationId: string, expected: string) =>
      session.applyHistoryTransaction({
        operationId,
        transaction: {
          type: "replace_suffix",
          expectedSuffix: [item(expected)],
          replacement: [item("d"), item("e")],
        },
      });
    await replace("op-1", "c");
    await replace("op-1", "c");
    await expect(replace("op-2", "c")).rejects.toThrow("no longer ends");
    const items = ["a", "b", "d", "e"].map(item);
    expect(await new BatonSession({ ...connect(), sessionId }).getItems()).toEqual(items);
  });

  it("rewrites calls and accepts a compaction", async () => {
    const session = new BatonSession({ ...machine()(), sessionId });
    await session.addItems([item("a"), call("one"), item("b"), call("two")]);
    await session.applyHistoryMutations({
      mutations: [{ type: "replace_function_call", callId: "c1", replacement: call("three") }],
    });
    expect(await session.getItems()).toEqual([item("a"), call("three"), item("b")]);
    await session.replaceHistoryWithCompaction([item("short")]);
    expect(await session.getItems()).toEqual([item("short")]);
  });
});

describe("a chat of the AI SDK", () => {
  const send = { trigger: "submit-message", messageId: undefined, abortSignal: undefined } as const;
  const messages = [{ id: "m1", role: "user", parts: [{ type: "text", text: "Hello" }] }];

  it("streams the answer, and a reader that reloads gets all of it, each chunk once", async () => {
    const connect = machine();
    const transport = new BatonChatTransport(connect());
    const chatId = "chat";
    expect(await transport.reconnectToStream({ chatId })).toBeNull();
    const stream = await transport.sendMessages({ ...send, chatId, messages });
    const name = await sessionNameFor("chat", connect().namespace, chatId);
    const session = await connect().baton.attach(name);
    const source = new Source();
    const answering = answerChat(session, (context) => {
      expect([context.messages, context.written]).toEqual([messages, []]);
      return source.stream;
    });
    source.more(delta("one "));
    source.more(delta("two "));
    const reader = stream.getReader();
    expect([(await reader.read()).value, (await reader.read()).value]).toEqual([
      delta("one "),
      delta("two "),
    ]);
    await reader.cancel();
    const reloaded = await new BatonChatTransport(connect()).reconnectToStream({ chatId });
    source.more(delta("three"));
    source.done();
    expect(await answering).toBe(true);
    expect(await textOf(reloaded)).toBe("one two three");
    expect(await transport.reconnectToStream({ chatId })).toBeNull();
    expect(await answerChat(session, () => source.stream)).toBe(false);
  });

  it("continues after the chunks of an earlier attempt", async () => {
    const connect = machine();
    const transport = new BatonChatTransport(connect());
    const stream = await transport.sendMessages({ ...send, chatId: "c", messages });
    const session = await connect().baton.attach(
      await sessionNameFor("chat", connect().namespace, "c"),
    );
    await answerChat(session, () => from(["a", "b"], true)).catch(() => undefined);
    let seen = 0;
    await answerChat(session, ({ written }) => {
      seen = written.length;
      return from(["a", "b", "c", "d"].slice(written.length));
    });
    expect(await textOf(stream)).toBe("abcd");
    expect(seen).toBeLessThanOrEqual(2);
  });

  it("resumes a stream of text from any character, and knows when it is done", async () => {
    const connect = machine();
    const streams = createResumableStreamContext(connect());
    const source = new Source<string>();
    const make = () => source.stream;
    expect(await streams.hasExistingStream("s")).toBeNull();
    expect(await streams.resumeExistingStream("s")).toBeUndefined();
    const first = await streams.createNewResumableStream("s", make);
    source.more("Hello ");
    source.more("world, ");
    const others = createResumableStreamContext(connect());
    expect(await others.hasExistingStream("s")).toBe(true);
    const second = await others.resumableStream("s", make, 8);
    source.more("again");
    source.done();
    expect(await textOf(first)).toBe("Hello world, again");
    expect(await textOf(second)).toBe("rld, again");
    await expect.poll(() => others.hasExistingStream("s")).toBe("DONE");
    expect(await others.resumeExistingStream("s")).toBeNull();
  });
});
