/**
 * Interrupts of a graph as handoffs, with a fake graph that has only its open interrupts. A real
 * graph is in examples/adapters/langgraph-person.mjs, run by `npm run adapters`.
 */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { handOffInterrupts, InterruptDeclinedError } from "../../src/adapters/langgraph/interrupts";
import { Baton, MemoryTokenStore } from "../../src/client";
import { Person } from "../support/person.ts";
import { sharedServer } from "../support/server.ts";

const server = sharedServer();
const graphWith = (...values: readonly unknown[]) => {
  const interrupts = values.map((value) => ({ id: randomUUID(), value }));
  return { getState: () => Promise.resolve({ tasks: [{ interrupts }] }) };
};
const newThread = () => ({ configurable: { thread_id: randomUUID() } });

async function answer(
  url: string | null | undefined,
  inputs: Readonly<Record<string, string>>,
  action = "submit",
): Promise<string> {
  const code = (url ?? "").split("/").at(-1) ?? "";
  const person = new Person(fetch, server.url);
  const { html } = await person.open(code, "Ada");
  expect((await person.press(code, html, action, inputs)).status).toBe(200);
  return html;
}

describe("interrupts of a graph", () => {
  it("become links, and the graph resumes with their answers, by the ids of the interrupts", async () => {
    const baton = Baton.connect(server.url);
    const schema = {
      type: "object",
      properties: { amount: { type: "integer" }, approved: { type: "boolean" } },
      required: ["approved"],
    };
    const graph = graphWith("Pay 420?", { question: "Right?", schema, fields: { amount: 420 } });
    const handoffs = await handOffInterrupts(graph, newThread(), { baton });
    const [text, form] = handoffs.links;
    expect(await handoffs.answers({ timeoutMs: 0 })).toBeNull();
    await answer(text?.url, { "f/answer": "Yes, today" });
    const seen = await answer(form?.url, { "f/approved": "true" });
    expect(seen).toContain("420");
    expect(await handoffs.answers()).toEqual({
      [text?.id ?? ""]: "Yes, today",
      [form?.id ?? ""]: { approved: true },
    });
  });

  it("are found again by another process, also after they were answered", async () => {
    const store = new MemoryTokenStore();
    const [graph, config] = [graphWith("Go on?"), newThread()];
    const handOff = () =>
      handOffInterrupts(graph, config, { baton: Baton.connect(server.url, { store }) });
    const first = await handOff();
    const [{ url = null } = {}] = first.links;
    await first.answers({ timeoutMs: 0 });
    const again = await handOff();
    expect([url === null, again.links.map((link) => link.url)]).toEqual([false, [null]]);
    const waiting = again.answers();
    await answer(url, { "f/answer": "Go" });
    expect(Object.values((await waiting) ?? {})).toEqual(["Go"]);
    expect(Object.values((await (await handOff()).answers()) ?? {})).toEqual(["Go"]);
  });

  it.each(["inside onLink", "after onLink", "before it waits", "while it waits"])(
    "are handed off once, and the link is delivered, if the process is killed %s",
    async (moment) => {
      const store = new MemoryTokenStore();
      const [graph, config] = [graphWith("Go on?"), newThread()];
      const baton = Baton.connect(server.url, { store });
      const delivered: string[] = [];
      const onLink = async ({ url }: { readonly url: string }): Promise<void> => {
        if (moment === "inside onLink") throw new Error("killed");
        delivered.push(url);
      };
      const killed = await handOffInterrupts(
        graph,
        config,
        moment.endsWith("onLink") ? { baton, onLink } : { baton },
      ).catch(() => null);
      if (moment === "while it waits") {
        delivered.push(killed?.links[0]?.url ?? "");
        await killed?.answers({ timeoutMs: 0 });
      }

      const next = await handOffInterrupts(graph, config, { baton });
      delivered.push(...next.links.flatMap(({ url }) => url ?? []));
      expect(delivered).toHaveLength(1);
      await next.answers({ timeoutMs: 0 });
      const third = await handOffInterrupts(graph, config, { baton });
      expect(third.links.map(({ url }) => url)).toEqual([null]);
      const [name = ""] = await store.list();
      expect(await (await baton.attach(name)).handoffs()).toHaveLength(1);
      await answer(delivered[0], { "f/answer": "Go" });
      expect(Object.values((await third.answers()) ?? {})).toEqual(["Go"]);
    },
  );

  it("of the human-in-the-loop middleware become a decision on each action", async () => {
    const baton = Baton.connect(server.url);
    const graph = graphWith({
      actionRequests: [
        { name: "send_mail", args: { to: "ada@example.com" }, description: "Sends a mail" },
        { name: "delete_file", args: { path: "/a" } },
      ],
      reviewConfigs: [{ actionName: "send_mail", allowedDecisions: ["approve", "edit", "reject"] }],
    });
    const handoffs = await handOffInterrupts(graph, newThread(), { baton });
    const seen = await answer(handoffs.links[0]?.url, {
      "f/decision1": '"approve"',
      "f/decision2": '"reject"',
      "f/message2": "Keep it",
    });
    expect(seen).toContain("ada@example.com");
    expect(Object.values((await handoffs.answers()) ?? {})).toEqual([
      { decisions: [{ type: "approve" }, { type: "reject", message: "Keep it" }] },
    ]);
  });

  it("that a person declines throw, with the person's text", async () => {
    const baton = Baton.connect(server.url);
    const handoffs = await handOffInterrupts(graphWith("Really?"), newThread(), { baton });
    await answer(handoffs.links[0]?.url, { declining: "Ask Bob" }, "decline");
    const error = await handoffs.answers().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(InterruptDeclinedError);
    expect((error as Error).message).toBe("Ada declined to answer: Ask Bob");
  });

  it("need a thread, and without interrupts there are no questions", async () => {
    const baton = Baton.connect(server.url);
    await expect(handOffInterrupts(graphWith("x"), {}, { baton })).rejects.toThrow("thread_id");
    const none = await handOffInterrupts(graphWith(), newThread(), { baton });
    expect([none.links, await none.answers()]).toEqual([[], {}]);
  });
});
