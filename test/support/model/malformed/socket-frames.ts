/** Conversations over the two sockets, made of frames that no client should send. */
import { WebSocket } from "ws";
import type { Random } from "../../live/random.ts";
import { corrupt } from "./schema-values.ts";
import type { TargetSession } from "./target-session.ts";
import { bodyBytes, jsonText, oddValue, several } from "./odd-values.ts";
import { DEADLINE_MS, Hanging } from "./transport.ts";

export interface SocketOutcome {
  readonly frames: number;
  /** Status of a refused handshake, else the close code or `open`. */
  readonly ended: string;
  /** What is wrong with a frame that the server sent. */
  readonly problem: string | null;
  /** The owner's next token, if one came. */
  readonly token: string | null;
}

type Frame = Buffer | string;

function sessionFrames(target: TargetSession, random: Random): readonly Frame[] {
  const hello = { type: "hello", token: target.credentials.owner, after: 0 };
  const valid = [
    { type: "append", id: "a1", events: [{ type: "a.b", payload: { n: 1 } }] },
    { type: "append", id: "a2", events: [{ type: "a.b" }], expectedHead: 1 },
    { type: "ack", seq: 1 },
    { type: "ping" },
    { ...hello, types: ["a.b"] },
    { ...hello, resume: true, id: "resume-1" },
  ];
  return [
    frame(random.chance(0.8) ? hello : corrupt(hello, random), random, 0),
    ...several(random, 5, () => frame(corrupt(random.pick(valid), random), random, 0.2)),
  ];
}

function arcpFrames(target: TargetSession, random: Random): readonly Frame[] {
  const of = (type: string, payload: object): object => ({
    arcp: "1.1",
    id: `m${random.between(0, 999_999)}`,
    type,
    payload,
  });
  const hello = of("session.hello", {
    client: { name: "malformed", version: "1" },
    auth: { scheme: "bearer", token: "malformed" },
    capabilities: { features: ["heartbeat", "ack", "list_jobs", "subscribe", "result_chunk"] },
  });
  const valid = [
    of("session.resume", { resume: { resume_token: target.spent, last_event_seq: 0 } }),
    of("session.ping", { nonce: "n" }),
    of("session.ack", { last_processed_seq: 0 }),
    of("session.list_jobs", { filter: { status: ["running"] }, limit: 5 }),
    of("job.submit", { agent: target.ids["name"] ?? "x", input: { a: 1 } }),
    of("job.cancel", { job_id: target.ids["jobId"], reason: "x" }),
    of("job.subscribe", { job_id: target.ids["jobId"], history: true }),
    of("job.unsubscribe", { job_id: "nothing" }),
    of("session.bye", { reason: "x" }),
    of("nonsense", {}),
  ];
  return [
    frame(random.chance(0.8) ? hello : corrupt(hello, random), random, 0),
    ...several(random, 5, () => frame(corrupt(random.pick(valid), random), random, 0.2)),
  ];
}

function frame(value: unknown, random: Random, damage: number): Frame {
  if (!random.chance(damage)) return jsonText(value);
  return random.chance(0.5)
    ? bodyBytes(jsonText(oddValue(random)), random)
    : jsonText(oddValue(random));
}

export type SocketInterface = "WebSocket" | "ARCP";

/** Sends everything at once, and ends when the last frame was answered or the socket was closed. */
export function converse(
  url: string,
  kind: SocketInterface,
  target: TargetSession,
  random: Random,
): Promise<SocketOutcome> {
  const isArcp = kind === "ARCP";
  const frames = isArcp ? arcpFrames(target, random) : sessionFrames(target, random);
  const path = isArcp ? "/arcp" : `/sessions/${target.id}/socket`;
  const protocols = isArcp ? random.pick([["arcp"], []]) : ["baton.v1"];
  const isBinary = random.chance(0.05);
  const base = url.replace(/^http/, "ws").replace("localhost", "127.0.0.1");
  return new Promise((settle, fail) => {
    const socket = new WebSocket(base + path, protocols, { perMessageDeflate: false });
    let [problem, token] = [null as string | null, null as string | null];
    let quiet: ReturnType<typeof setTimeout> | undefined;
    const deadline = setTimeout(() => {
      socket.terminate();
      fail(new Hanging(`the ${kind} sent nothing within ${DEADLINE_MS} ms`));
    }, DEADLINE_MS);
    const end = (ended: string): void => {
      clearTimeout(deadline);
      clearTimeout(quiet);
      socket.terminate();
      settle({ frames: frames.length, ended, problem, token });
    };
    socket.on("open", () => {
      // Text frames may hold bytes that are not UTF-8: the runtime must close, not fail.
      for (const one of frames) socket.send(one, { binary: isBinary });
      socket.send(isArcp ? LAST_ARCP : LAST_APPEND);
    });
    socket.on("message", (data) => {
      const text = String(data);
      problem ??= frameProblem(text);
      token = /"resumeToken":"(rtok_[^"]+)"/.exec(text)?.[1] ?? token;
      if (!text.includes(LAST)) return;
      // What is still queued behind the answer to the last frame comes at once or not at all.
      clearTimeout(quiet);
      quiet = setTimeout(() => end("open"), 10);
    });
    socket.on("unexpected-response", (_, response) => end(String(response.statusCode)));
    socket.on("error", () => undefined);
    socket.on("close", (code) => {
      if (code === 1011) problem ??= "the socket was closed with 1011";
      end(String(code));
    });
  });
}

/** Answered behind all others: the socket handles its frames in order. */
const LAST = "the-last-one";
const LAST_APPEND = `{"type":"append","id":"${LAST}","events":[{"type":"malformed.last"}]}`;
const LAST_ARCP = `{"arcp":"1.1","id":"${LAST}","type":"session.ping","payload":{"nonce":"${LAST}"}}`;

function frameProblem(text: string): string | null {
  try {
    const frame = JSON.parse(text) as { problem?: { code?: string }; payload?: { code?: string } };
    const code = frame.problem?.code ?? frame.payload?.code;
    const isInternal = code === "internal" || code === "INTERNAL_ERROR";
    return isInternal ? `a frame says ${text.slice(0, 300)}` : null;
  } catch {
    return `a frame is not JSON: ${text.slice(0, 200)}`;
  }
}
