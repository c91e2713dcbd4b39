/**
 * Every way to go on listening to a session, as data: each opens one connection, keeps all it is
 * given, and says when it is over.
 */
import { resumeOf } from "../arcp";
import { openTestSocket, openStream } from "../live/worker-access";
import { client } from "../worker";
import { send } from "../live/worker-access";
import { connectArcp } from "./access-paths";

export interface OpenListener {
  /** All that came so far. */
  text(): string;
  /** Settles once the connection is over. */
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
  const heard: string[] = [];
  const first = await stream.next();
  heard.push(JSON.stringify(first));
  const ended = (async () => {
    for (let frame = await stream.next(); frame !== null; frame = await stream.next()) {
      heard.push(JSON.stringify(frame));
    }
  })();
  return { text: () => heard.join("\n"), ended, leave: () => void stream.cancel() };
}

async function listenOverSocket(reach: SessionAccess): Promise<OpenListener> {
  const talk = await openTestSocket(reach);
  const heard: string[] = [];
  heard.push(JSON.stringify(await talk.receive()));
  const ended = (async () => {
    for (let message = await talk.receive(); message !== null; message = await talk.receive()) {
      heard.push(JSON.stringify(message));
    }
  })();
  return { text: () => heard.join("\n"), ended, leave: () => talk.close() };
}

/** Poll after poll, from the end of the log on, until one is refused. */
async function listenOverPolls({ id, token }: SessionAccess): Promise<OpenListener> {
  const heard: string[] = [];
  const left = new AbortController();
  const { body } = await client.on({ id }, "GET", "/events?after=0&limit=1000", { token });
  const ended = (async () => {
    for (let after = body.head; !left.signal.aborted; ) {
      const path = `/events?after=${after}&waitMs=10000`;
      const answer = await client.on({ id }, "GET", path, { token });
      heard.push(answer.text);
      if (answer.status !== 200) return;
      after = answer.body.nextAfter;
    }
  })();
  // It counts as connected while it waits.
  for (;;) {
    const { body: now } = await client.on({ id }, "GET", "", { token });
    const { participants } = now.session as { participants: { connected: boolean }[] };
    if (participants.some(({ connected }) => connected)) break;
  }
  return {
    text: () => heard.join("\n"),
    ended,
    leave: () => left.abort(),
  };
}

/** Takes the participant up over ARCP, from the last event of jobs that there is. */
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

/** From another session of the same bearer, which subscribes to the job. */
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
