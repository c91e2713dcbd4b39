/** A graph that stops at a question and continues in another process with the answer. */
import { Annotation, Command, END, interrupt, START, StateGraph } from "@langchain/langgraph";
import { Baton } from "@baton-sessions/baton/client";
import { FileTokenStore } from "@baton-sessions/baton/client/node";
import { BatonSaver } from "@baton-sessions/baton/langgraph";

const store = new FileTokenStore(process.env.BATON_STORE ?? ".baton-example");
const connect = () => Baton.connect(process.env.BATON_URL ?? "http://localhost:8787", { store });

const State = Annotation.Root({
  amount: Annotation(),
  log: Annotation({ reducer: (before, added) => [...before, ...added], default: () => [] }),
});
const graphWith = (checkpointer) =>
  new StateGraph(State)
    .addNode("estimate", () => ({ amount: 420, log: ["estimated 420"] }))
    .addNode("approve", ({ amount }) => ({ log: [interrupt(`Pay ${amount}?`)] }))
    .addEdge(START, "estimate")
    .addEdge("estimate", "approve")
    .addEdge("approve", END)
    .compile({ checkpointer });

const config = { configurable: { thread_id: crypto.randomUUID() } };
await graphWith(new BatonSaver({ baton: connect() })).invoke({}, config);

const graph = graphWith(new BatonSaver({ baton: connect() }));
const { tasks } = await graph.getState(config);
console.log(tasks[0].interrupts[0].value);
const { log } = await graph.invoke(new Command({ resume: "approved" }), config);
console.log(log.join(", "));
