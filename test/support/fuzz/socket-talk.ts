/** Conversations over the two sockets, made of frames nobody should send. */
import { WebSocket } from "ws";
import type { Chance } from "./chance.ts";
import { spoil } from "./from-schema.ts";
import type { Lane } from "./lane.ts";
import { toBytes, toText, wild } from "./wild.ts";
import { DEADLINE_MS, Hanging } from "./wire.ts";

export interface Talk {
  readonly frames: number;
  /** Status of a refused handshake, else the close code or `open`. */
  readonly ended: string;
  readonly fault: string | null;
  /** The owner's next token, where one came. */
  readonly token: string | null;
}

type Frame = Buffer | string;

function batonFrames(lane: Lane, chance: Chance): readonly Frame[] {
  const hello = { type: "hello", token: lane.credentials.owner, after: 0 };
  const right = [
    { type: "append", id: "a1", events: [{ type: "a.b", payload: { n: 1 } }] },
    { type: "append", id: "a2", events: [{ type: "a.b" }], expectedHead: 1 },
    { type: "ack", seq: 1 },
    { type: "ping" },
    { ...hello, types: ["a.b"] },
    { ...hello, resume: true, id: "resume-1" },
  ];
  return [
    frame(chance.is(0.8) ? hello : spoil(hello, chance), chance, 0),
    ...chance.times(5, () => frame(spoil(chance.pick(right), chance), chance, 0.2)),
  ];
}

function arcpFrames(lane: Lane, chance: Chance): readonly Frame[] {
  const of = (type: string, payload: object): object => ({
    arcp: "1.1",
    id: `m${chance.below(1_000_000)}`,
    type,
    payload,
  });
  const hello = of("session.hello", {
    client: { name: "fuzz", version: "1" },
    auth: { scheme: "bearer", token: "fuzz" },
    capabilities: { features: ["heartbeat", "ack", "list_jobs", "subscribe", "result_chunk"] },
  });
  const right = [
    of("session.resume", { resume: { resume_token: lane.spent, last_event_seq: 0 } }),
    of("session.ping", { nonce: "n" }),
    of("session.ack", { last_processed_seq: 0 }),
    of("session.list_jobs", { filter: { status: ["running"] }, limit: 5 }),
    of("job.submit", { agent: lane.ids["name"] ?? "x", input: { a: 1 } }),
    of("job.cancel", { job_id: lane.ids["jobId"], reason: "x" }),
    of("job.subscribe", { job_id: lane.ids["jobId"], history: true }),
    of("job.unsubscribe", { job_id: "nothing" }),
    of("session.bye", { reason: "x" }),
    of("nonsense", {}),
  ];
  return [
    frame(chance.is(0.8) ? hello : spoil(hello, chance), chance, 0),
    ...chance.times(5, () => frame(spoil(chance.pick(right), chance), chance, 0.2)),
  ];
}

function frame(value: unknown, chance: Chance, damage: number): Frame {
  if (!chance.is(damage)) return toText(value);
  return chance.is(0.5) ? toBytes(toText(wild(chance)), chance) : toText(wild(chance));
}

export function talk(
  url: string,
  face: "baton" | "arcp",
  lane: Lane,
  chance: Chance,
): Promise<Talk> {
  const frames = face === "baton" ? batonFrames(lane, chance) : arcpFrames(lane, chance);
  const path = face === "baton" ? `/sessions/${lane.id}/socket` : "/arcp";
  const protocols = face === "baton" ? ["baton.v1"] : chance.pick([["arcp"], []]);
  const isBinary = chance.is(0.05);
  const base = url.replace(/^http/, "ws").replace("localhost", "127.0.0.1");
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(base + path, protocols, { perMessageDeflate: false });
    let [fault, token] = [null as string | null, null as string | null];
    let quiet: ReturnType<typeof setTimeout> | undefined;
    const deadline = setTimeout(() => {
      socket.terminate();
      reject(new Hanging(`the ${face} socket said nothing within ${DEADLINE_MS} ms`));
    }, DEADLINE_MS);
    const end = (ended: string): void => {
      clearTimeout(deadline);
      clearTimeout(quiet);
      socket.terminate();
      resolve({ frames: frames.length, ended, fault, token });
    };
    socket.on("open", () => {
      // Text frames may hold bytes that are no UTF-8: the runtime must close, not fail.
      for (const one of frames) socket.send(one, { binary: isBinary });
      socket.send(last(face));
    });
    socket.on("message", (data) => {
      const text = String(data);
      fault ??= frameFault(face, text);
      token = /"resumeToken":"(rtok_[^"]+)"/.exec(text)?.[1] ?? token;
      if (isLast(text)) {
        // What is still queued behind the answer to the last frame comes at once or not at all.
        clearTimeout(quiet);
        quiet = setTimeout(() => end("open"), 10);
      }
    });
    socket.on("unexpected-response", (_, response) => end(String(response.statusCode)));
    socket.on("error", () => undefined);
    socket.on("close", (code) => {
      if (code === 1011) fault ??= "the socket was closed with 1011";
      end(String(code));
    });
  });
}

/** Answered behind all others: the socket works through its frames in order. */
const LAST = "the-last-one";
const last = (face: "baton" | "arcp"): string =>
  face === "baton"
    ? `{"type":"append","id":"${LAST}","events":[{"type":"fuzz.last"}]}`
    : `{"arcp":"1.1","id":"${LAST}","type":"session.ping","payload":{"nonce":"${LAST}"}}`;
const isLast = (text: string): boolean => text.includes(LAST);

function frameFault(face: string, text: string): string | null {
  try {
    const said = JSON.parse(text) as { problem?: { code?: string }; payload?: { code?: string } };
    const code = said.problem?.code ?? said.payload?.code;
    return code === "internal" || code === "INTERNAL_ERROR"
      ? `${face} said ${text.slice(0, 300)}`
      : null;
  } catch {
    return `${face} said what is no JSON: ${text.slice(0, 200)}`;
  }
}
