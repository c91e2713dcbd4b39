/** A page that reloads while an answer is being written reads that answer again from its start. */
import { readUIMessageStream } from "ai";
import { answerChat, BatonChatTransport } from "@baton-sessions/baton/ai";
import { Baton } from "@baton-sessions/baton/client";
import { FileTokenStore } from "@baton-sessions/baton/client/node";

const store = new FileTokenStore(process.env.BATON_STORE ?? ".baton-example");
const baton = Baton.connect(process.env.BATON_URL ?? "http://localhost:8787", { store });
const chatId = crypto.randomUUID();
const chunks = [
  { type: "start", messageId: "a1" },
  { type: "text-start", id: "t" },
  ...["Each ", "word ", "once."].map((delta) => ({ type: "text-delta", id: "t", delta })),
  { type: "text-end", id: "t" },
  { type: "finish" },
];

async function* slowly(rest) {
  for (const chunk of rest) {
    await new Promise((settle) => setTimeout(settle, 100));
    yield chunk;
  }
}

// The answering side, here in the same process. In production it is a route of your app, or a worker.
const onRequest = ({ session }) => {
  void answerChat(session, ({ written }) =>
    ReadableStream.from(slowly(chunks.slice(written.length))),
  );
};
const page = new BatonChatTransport({ baton, onRequest });
const messages = [{ id: "m1", role: "user", parts: [{ type: "text", text: "Hello" }] }];
const request = { trigger: "submit-message", chatId, messageId: undefined, messages };
const stream = await page.sendMessages({ ...request, abortSignal: undefined });
await stream.cancel();

const reloaded = await new BatonChatTransport({ baton }).reconnectToStream({ chatId });
let text = "";
for await (const message of readUIMessageStream({ stream: reloaded })) {
  text = message.parts.map((part) => part.text ?? "").join("");
}
console.log(text);
