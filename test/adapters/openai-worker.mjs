/**
 * One process of the conversation. It continues after the end of the history, until it is killed or
 * done.
 */
import { Agent, run, setTracingDisabled } from "@openai/agents";
import { FakeModel, textOf } from "./fake-model.mjs";

const { Baton } = await import(`${process.env.BATON_PACKAGE}/client`);
const { FileTokenStore } = await import(`${process.env.BATON_PACKAGE}/client/node`);
const { BatonSession } = await import(`${process.env.BATON_PACKAGE}/openai-agents`);

setTracingDisabled(true);
const [store, turns] = process.argv.slice(2);
const baton = Baton.connect(process.env.BATON_URL, { store: new FileTokenStore(store) });
const session = new BatonSession({ baton, sessionId: "talk" });
const agent = new Agent({ name: "Echo", model: new FakeModel() });

console.log("ready");
for (;;) {
  const texts = (await session.getItems()).map(textOf);
  const prompted = texts.filter((text) => text.startsWith("turn")).length;
  const answered = texts.filter((text) => text.startsWith("answer")).length;
  // A turn without an answer is answered first; only then the next turn starts.
  if (prompted > answered) await run(agent, [], { session });
  else if (prompted < Number(turns)) await run(agent, `turn ${prompted + 1}`, { session });
  else break;
}
