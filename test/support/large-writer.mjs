/**
 * Appends one large entry under a fixed key and reports when it is done. Killed at any moment and
 * started again, it writes the same entry. `node large-writer.mjs <url> <state> <bytes>`
 */
import { Baton } from "../../dist/client.js";
import { FileTokenStore } from "../../dist/client-node.js";
import { largeText } from "./large-text.mjs";

const [url, state, bytes] = process.argv.slice(2);
const baton = Baton.connect(url, { store: new FileTokenStore(state) });
const session = await baton.open("large", {}, { resume: false });
console.log("begun");
const entry = { type: "agent.entry", payload: { text: largeText(Number(bytes)) } };
await session.append(entry, { key: `entry-of-${bytes}-bytes` });
console.log("done");
