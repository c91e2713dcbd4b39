/**
 * Every way to listen to a session, as data. Each opens one connection, stores all it receives, and
 * reports its end.
 */
import { resumeOf } from "../arcp";
import { openTestSocket, openStream } from "../live/worker-access";
import { client } from "../worker";
import { send } from "../live/worker-access";
import { connectArcp } from "./access-paths";

export interface OpenListener {
  /** All text received so far. */
  text(): string;
  /** Settles once the connection has ended. */
  readonly ended: Promise<unknown>;
  leave(): void;
}

export interface SessionAccess {
  readonly id: string;
  readonly token: string;
}

export interface Listener {
  readonly name: string;
  readonly open: (reach: SessionAccess) => Promise<OpenListener>;
}

async function listenOverSse(reach: SessionAccess): Promise<OpenListener> {
  const stream = await openStream(reach);
  const received: string[] = [];
  const first = await stream.next();
  received.push(JSON.stringify(first));
  const ended = (async () => {
    for (let frame = await stream.next(); frame !== null; frame = await stream.next()) {
      received.push(JSON.stringify(frame));
    }
  })();
  return { text: () => received.join("\n"), ended, leave: () => void stream.cancel() };
}

async function listenOverSocket(reach: SessionAccess): Promise<OpenListener> {
  const socket = await openTestSocket(reach);
  const received: string[] = [];
  received.push(JSON.stringify(await socket.receive()));
  const ended = (async () => {
    for (let message = await socket.receive(); message !== null; message = await socket.receive()) {
      received.push(JSON.stringify(message));
    }
  })();
  return { text: () => received.join("\n"), ended, leave: () => socket.close() };
}

/** Polls repeatedly from the end of the log until one poll is refused. */
async function listenOverPolls({ id, token }: SessionAccess): Promise<OpenListener> {
  const received: string[] = [];
  const left = new AbortController();
  const { body } = await client.on({ id }, "GET", "/events?after=0&limit=1000", { token });
  const ended = (async () => {
    for (let after = body.head; !left.signal.aborted; ) {
      const path = `/events?after=${after}&waitMs=10000`;
      const answer = await client.on({ id }, "GET", path, { token });
      received.push(answer.text);
      if (answer.status !== 200) return;
      after = answer.body.nextAfter;
    }
  })();
  // A participant counts as connected while its poll waits.
  for (;;) {
    const { body: now } = await client.on({ id }, "GET", "", { token });
    const { participants } = now.session as { participants: { connected: boolean }[] };
    if (participants.some(({ connected }) => connected)) break;
  }
  return {
    text: () => received.join("\n"),
    ended,
    leave: () => left.abort(),
  };
}

/** Resumes the participant over ARCP from the last job event. */
async function listenOverArcp({ token }: SessionAccess): Promise<OpenListener> {
  const arcp = await connectArcp(send);
  const welcome = await arcp.hello({ extra: resumeOf(token, 0) ?? {} });
  if (welcome.type !== "session.welcome") throw new Error(JSON.stringify(welcome));
  return {
    text: () => arcp.frames.map((frame) => JSON.stringify(frame)).join("\n"),
    ended: arcp.closed,
    leave: () => arcp.drop(),
  };
}

/** Subscribes to the job from another session of the same bearer. */
export async function watchJob(bearer: string, jobId: string): Promise<OpenListener> {
  const arcp = await connectArcp(send);
  await arcp.hello({ bearer });
  arcp.send("job.subscribe", { job_id: jobId, history: true });
  await arcp.until("job.subscribed");
  return {
    text: () => arcp.frames.map((frame) => JSON.stringify(frame)).join("\n"),
    ended: arcp.closed,
    leave: () => arcp.drop(),
  };
}

export const LISTENERS: readonly Listener[] = [
  { name: "event stream", open: listenOverSse },
  { name: "socket", open: listenOverSocket },
  { name: "long-poll", open: listenOverPolls },
  { name: "ARCP", open: listenOverArcp },
];
