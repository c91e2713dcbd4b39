/**
 * One process that answers the chat. It continues after what is already written, until it is killed
 * or done.
 */
import { setTimeout as sleep } from "node:timers/promises";

const { Baton } = await import(`${process.env.BATON_PACKAGE}/client`);
const { FileTokenStore } = await import(`${process.env.BATON_PACKAGE}/client/node`);
const { answerChat } = await import(`${process.env.BATON_PACKAGE}/ai`);

const [store, name, words] = process.argv.slice(2);
const baton = Baton.connect(process.env.BATON_URL, { store: new FileTokenStore(store) });
const session = await baton.attach(name);
const all = [
  { type: "start", messageId: "answer" },
  { type: "text-start", id: "t" },
  ...Array.from({ length: Number(words) }, (_, n) => ({
    type: "text-delta",
    id: "t",
    delta: `w${n} `,
  })),
  { type: "text-end", id: "t" },
  { type: "finish" },
];

console.log("ready");
await answerChat(session, ({ written }) => {
  let next = written.length;
  return new ReadableStream({
    async pull(controller) {
      if (next === all.length) return controller.close();
      controller.enqueue(all[next]);
      next += 1;
      await sleep(1);
    },
  });
});
