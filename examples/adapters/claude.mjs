/**
 * One machine writes a transcript and another reads it. With the Claude Agent SDK, pass the store as
 * `sessionStore` to `query`. Here the entries are appended directly, so that no model is needed.
 */
import { Baton } from "@baton-sessions/baton/client";
import { FileTokenStore } from "@baton-sessions/baton/client/node";
import { BatonSessionStore } from "@baton-sessions/baton/claude";

const store = new FileTokenStore(process.env.BATON_STORE ?? ".baton-example");
const connect = () => Baton.connect(process.env.BATON_URL ?? "http://localhost:8787", { store });
const key = { projectKey: "demo", sessionId: crypto.randomUUID() };

const here = new BatonSessionStore({ baton: connect() });
await here.append(key, [{ type: "user", uuid: "1", text: "Look into the water damage." }]);
await here.append(key, [{ type: "assistant", uuid: "2", text: "I am on it." }]);

const there = new BatonSessionStore({ baton: connect() });
console.log((await there.load(key)).map(({ type, text }) => `${type}: ${text}`).join("\n"));
console.log(`sessions of the project: ${(await there.listSessions("demo")).length}`);
await there.delete(key);
