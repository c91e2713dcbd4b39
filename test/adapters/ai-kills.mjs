/**
 * A chat of the AI SDK. The process that answers is killed 50 times, and the page reloads again and
 * again during the stream. In the end the page has each word once and in order.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readUIMessageStream } from "ai";
import { killRepeatedly } from "./killing.mjs";

const { Baton } = await import(`${process.env.BATON_PACKAGE}/client`);
const { FileTokenStore } = await import(`${process.env.BATON_PACKAGE}/client/node`);
const { BatonChatTransport } = await import(`${process.env.BATON_PACKAGE}/ai`);

const WORDS = 4_000;
const KILLS = 50;
const folder = join(process.env.BATON_SCRATCH, "ai");
const baton = Baton.connect(process.env.BATON_URL, { store: new FileTokenStore(folder) });
const messages = [{ id: "m", role: "user", parts: [{ type: "text", text: "Tell me." }] }];
const expected = Array.from({ length: WORDS }, (_, n) => `w${n} `).join("");

const first = await new BatonChatTransport({ baton }).sendMessages({
  trigger: "submit-message",
  chatId: "chat",
  messageId: undefined,
  messages,
  abortSignal: undefined,
});
const args = [folder, "chat/default/chat", String(WORDS)];
const answering = killRepeatedly("ai-worker.mjs", args, KILLS, 250);

/** The text of the message that the framework itself builds from the chunks. */
async function read(stream, isLast) {
  let text = "";
  for await (const message of readUIMessageStream({ stream })) {
    text = message.parts.map((part) => part.text ?? "").join("");
    if (!isLast()) break;
  }
  return text;
}

let reloads = 0;
const staying = read(first, () => true);
const reloading = (async () => {
  for (;;) {
    const page = new BatonChatTransport({ baton });
    const stream = await page.reconnectToStream({ chatId: "chat" });
    if (stream === null) return;
    const until = Date.now() + Math.random() * 1_000;
    const text = await read(stream, () => Date.now() < until);
    assert.ok(expected.startsWith(text), "a page that reloaded saw a chunk twice or missed one");
    reloads += 1;
    await sleep(50);
  }
})();
const killed = await answering;
assert.equal(await staying, expected);
await reloading;
console.log(
  `${killed} kills of who answers, ${reloads} reloads, ${WORDS} words, each once and in order`,
);
assert.equal(killed, KILLS);
assert.ok(reloads >= 5);
