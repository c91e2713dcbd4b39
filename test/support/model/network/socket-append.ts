/** An append over a WebSocket of its own, with the fates a request over HTTP has. */
import { TestSocket } from "../../live/test-socket.ts";
import { connectNodeSocket } from "../../live/node-socket.ts";
import { ConnectionClosed } from "../client.ts";
import type { Answer, ModelRequest } from "../driver.ts";
import type { Fate } from "../plan.ts";
import { sleep } from "../sleep.ts";
import { answerIn } from "./wire.ts";

const TIMEOUT_MS = 15_000;
const CUT_AFTER_MS = 4;

/** Null if no certain answer came. */
export async function appendBySocket(
  base: string,
  sessionId: string,
  { token, key, args, head }: ModelRequest,
  fate: Fate,
): Promise<Answer | null> {
  const url = `${base}/sessions/${sessionId}/socket`;
  const socket = await connectNodeSocket(url, token).catch(refusedForGood);
  if (socket === null) return null;
  const connection = new TestSocket(socket);
  try {
    connection.send({ type: "hello", after: head });
    if (fate === "request lost") return null;
    connection.send({ type: "append", id: key, events: args["events"] });
    if (fate === "cut off") {
      await sleep(CUT_AFTER_MS);
      return null;
    }
    const answer = await Promise.race([
      answerTo(connection, key),
      sleep(TIMEOUT_MS).then(() => null),
    ]);
    return fate === "answer lost" ? null : answer;
  } finally {
    connection.terminate();
  }
}

async function answerTo(connection: TestSocket, key: string | null): Promise<Answer | null> {
  for (;;) {
    const message = await connection.receive();
    if (message === null) return null;
    if (message.type === "end") throw new ConnectionClosed(message.reason);
    if (message.type === "appended" && message.id === key) return answerIn(message, false, false);
    // A wrong hello is answered without an id, and the append is not looked at.
    if (message.type === "error") return answerIn(message.problem, true, false);
  }
}

function refusedForGood(error: unknown): null {
  const why = String(error instanceof Error ? error.cause : error);
  if (/Unexpected server response: 4(?!29)/.test(why)) throw new ConnectionClosed(why);
  return null;
}
