/** One process of the conversation: goes on where the history ends, until it is killed or done. */
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
  const said = (await session.getItems()).map(textOf);
  const asked = said.filter((text) => text.startsWith("turn")).length;
  const answered = said.filter((text) => text.startsWith("answer")).length;
  // A turn that was asked and not answered is answered; only then the next one is asked.
  if (asked > answered) await run(agent, [], { session });
  else if (asked < Number(turns)) await run(agent, `turn ${asked + 1}`, { session });
  else break;
}
