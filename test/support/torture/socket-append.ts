/** An append over a WebSocket of its own, with the fates a request over HTTP has. */
import { setTimeout as sleep } from "node:timers/promises";
import { TestSocket } from "../live/test-socket.ts";
import { connectNodeSocket } from "../live/node-socket.ts";
import { readAnswer, type Asked, type Answered } from "./requests.ts";
import type { Fate } from "./send.ts";

const TIMEOUT_MS = 15_000;
const CUT_AFTER_MS = 4;

/** The line is closed for good: the session has ended, or this token opens it no more. */
export class Closed extends Error {}

/** Null where nothing certain was heard. */
export async function appendBySocket(
  base: string,
  { sessionId, token, key, body }: Omit<Asked, "way">,
  after: number,
  fate: Fate,
): Promise<Answered | null> {
  const url = `${base}/sessions/${sessionId}/socket`;
  const socket = await connectNodeSocket(url, token).catch(refusedForGood);
  if (socket === null) return null;
  const talk = new TestSocket(socket);
  try {
    talk.send({ type: "hello", after });
    if (fate === "lost") return null;
    talk.send({ type: "append", id: key, events: body["events"] });
    if (fate === "cut") {
      await sleep(CUT_AFTER_MS);
      return null;
    }
    const answer = await Promise.race([answerTo(talk, key), sleep(TIMEOUT_MS, null)]);
    return fate === "unheard" ? null : answer;
  } finally {
    talk.terminate();
  }
}

async function answerTo(talk: TestSocket, key: string | null): Promise<Answered | null> {
  for (;;) {
    const message = await talk.receive();
    if (message === null) return null;
    if (message.type === "end") throw new Closed(message.reason);
    if (message.type === "appended" && message.id === key) return answered(200, message);
    // What is wrong with the hello is said without an id, and the append was not looked at.
    if (message.type === "error") return answered(400, message.problem);
  }
}

function refusedForGood(error: unknown): null {
  const why = String(error instanceof Error ? error.cause : error);
  if (/Unexpected server response: 4(?!29)/.test(why)) throw new Closed(why);
  return null;
}

const answered = (status: number, body: object): Answered | null =>
  readAnswer("http", { status, headers: {}, text: JSON.stringify(body) });
