/** A conversation that continues in another process. The model is fake, so that no key is needed. */
import { Agent, run, setTracingDisabled, Usage } from "@openai/agents";
import { Baton } from "@baton-sessions/baton/client";
import { FileTokenStore } from "@baton-sessions/baton/client/node";
import { BatonSession } from "@baton-sessions/baton/openai-agents";

setTracingDisabled(true);
const store = new FileTokenStore(process.env.BATON_STORE ?? ".baton-example");
const connect = () => Baton.connect(process.env.BATON_URL ?? "http://localhost:8787", { store });

const model = {
  async getResponse({ input }) {
    const content = [{ type: "output_text", text: `I have ${input.length} items of history.` }];
    const message = { type: "message", role: "assistant", status: "completed", content };
    return { usage: new Usage(), output: [message] };
  },
};
const agent = new Agent({ name: "Counter", model });
const sessionId = crypto.randomUUID();

const first = await run(agent, "Hello", {
  session: new BatonSession({ baton: connect(), sessionId }),
});
console.log(first.finalOutput);
const again = new BatonSession({ baton: connect(), sessionId });
console.log((await run(agent, "Again", { session: again })).finalOutput);
