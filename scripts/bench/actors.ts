/** Creates and fills the sessions of the workloads, on both sides. */
import type { HttpReply } from "./http-connection.ts";
import type { Load } from "./load.ts";

/** The event of every workload. */
export const EVENT = { type: "bench.event", payload: { text: "x".repeat(60) } };
/** An event as the log stores it. The floor stores and sends this text. */
const LINE = JSON.stringify({
  seq: 1,
  type: "bench.event",
  at: "2026-01-01T00:00:00.000Z",
  actor: { kind: "agent", id: "agent" },
  state: "draft",
  version: 1,
  payload: EVENT.payload,
});
const DOCUMENT = JSON.stringify({ title: "Bench", fields: { note: "x".repeat(60) } });

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export function expectStatus(reply: HttpReply, status: number): HttpReply {
  if (reply.status !== status) throw new Error(`${reply.status}: ${reply.text.slice(0, 300)}`);
  return reply;
}

export interface CreatedSession {
  readonly id: string;
  /** Empty on the floor, which has no tokens. */
  token: string;
}

export async function createFloor(load: Load): Promise<CreatedSession> {
  const reply = await load.send({ method: "POST", path: "/create", body: DOCUMENT });
  const { id } = JSON.parse(expectStatus(reply, 201).text) as { id: string };
  return { id, token: "" };
}

export async function createBaton(load: Load): Promise<CreatedSession> {
  const reply = await load.send({ method: "POST", path: "/sessions", body: DOCUMENT });
  const { session, resumeToken } = JSON.parse(expectStatus(reply, 201).text) as {
    session: { id: string };
    resumeToken: string;
  };
  return { id: session.id, token: resumeToken };
}

export const bearer = ({ token }: Pick<CreatedSession, "token">): Record<string, string> => ({
  Authorization: `Bearer ${token}`,
});

/** Appends one commit of this many events. */
export function appendFloor(
  load: Load,
  { id }: CreatedSession,
  count: number,
): () => Promise<HttpReply> {
  const lines = times(count, () => LINE).join("\n");
  const call = { method: "POST", path: `/append/${id}?count=${count}`, body: lines };
  return async () => expectStatus(await load.send(call), 201);
}

export function appendBaton(
  load: Load,
  session: CreatedSession,
  count: number,
): () => Promise<HttpReply> {
  const call = {
    method: "POST",
    path: `/sessions/${session.id}/events`,
    headers: bearer(session),
    body: JSON.stringify({ events: times(count, () => EVENT) }),
  };
  return async () => expectStatus(await load.send(call), 201);
}

export function patchFloor(load: Load, { id }: CreatedSession): () => Promise<HttpReply> {
  const call = { method: "POST", path: `/patch/${id}`, body: DOCUMENT };
  return async () => expectStatus(await load.send(call), 200);
}

let patches = 0;

/** A chain of writes: each spends its token and continues with the next. */
export function patchBaton(load: Load, session: CreatedSession): () => Promise<HttpReply> {
  return async () => {
    patches += 1;
    const reply = await load.send({
      method: "PATCH",
      path: `/sessions/${session.id}`,
      headers: { ...bearer(session), "Idempotency-Key": `k${patches}` },
      body: `{"fields":{"note":"${"x".repeat(60)}${patches}"}}`,
    });
    session.token = expectStatus(reply, 200).header("resume-token") ?? "";
    return reply;
  };
}

const EVENTS_A_COMMIT = 100;
const FILLERS = 8;

/** A log of this many events, a hundred per commit. */
async function fill(append: () => Promise<unknown>, events: number): Promise<void> {
  let left = events / EVENTS_A_COMMIT;
  await Promise.all(
    times(Math.min(FILLERS, left), async () => {
      while (left > 0) {
        left -= 1;
        await append();
      }
    }),
  );
}

export async function filledFloor(load: Load, events: number): Promise<CreatedSession> {
  const created = await createFloor(load);
  await fill(appendFloor(load, created, EVENTS_A_COMMIT), events);
  return created;
}

export async function filledBaton(load: Load, events: number): Promise<CreatedSession> {
  const created = await createBaton(load);
  await fill(appendBaton(load, created, EVENTS_A_COMMIT), events);
  return created;
}

/** An ended session, whose streams end too. */
export async function endedBaton(load: Load, events: number): Promise<CreatedSession> {
  const { id, token } = await filledBaton(load, events);
  const path = `/sessions/${id}/cancel`;
  const reply = await load.send({ method: "POST", path, headers: bearer({ token }), body: "{}" });
  return { id, token: expectStatus(reply, 200).header("resume-token") ?? "" };
}
