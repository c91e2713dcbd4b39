/**
 * A graph that asks a person with a link. Kill it at any moment and start it again with the same thread:
 * it finds the question, or its answer.
 */
import { Annotation, Command, END, interrupt, START, StateGraph } from "@langchain/langgraph";
import { Baton } from "@baton-sessions/baton/client";
import { FileTokenStore } from "@baton-sessions/baton/client/node";
import { BatonSaver, handOffInterrupts } from "@baton-sessions/baton/langgraph";

const store = new FileTokenStore(process.env.BATON_STORE ?? ".baton-example");
const baton = Baton.connect(process.env.BATON_URL ?? "http://localhost:8787", { store });
const config = { configurable: { thread_id: process.argv[2] ?? crypto.randomUUID() } };

const graph = new StateGraph(Annotation.Root({ amount: Annotation(), answer: Annotation() }))
  .addNode("estimate", () => ({ amount: 420 }))
  .addNode("ask", ({ amount }) => ({ answer: interrupt(`Shall we pay ${amount} euros?`) }))
  .addEdge(START, "estimate")
  .addEdge("estimate", "ask")
  .addEdge("ask", END)
  .compile({ checkpointer: new BatonSaver({ baton }) });

// An input starts the thread, null continues it. An input for a waiting thread would ask again.
const { createdAt } = await graph.getState(config);
await graph.invoke(createdAt === undefined ? {} : null, config);

const handoffs = await handOffInterrupts(graph, config, { baton });
for (const { value, url } of handoffs.links) {
  console.log(url === null ? `Still waiting: ${value}` : `${value} Please answer: ${url}`);
}
const resume = await handoffs.answers();
// Without an open interrupt the graph is done, and this only reads its state.
const input = handoffs.links.length === 0 ? null : new Command({ resume });
const { answer } = await graph.invoke(input, config);
console.log(`The person said: ${answer}`);
