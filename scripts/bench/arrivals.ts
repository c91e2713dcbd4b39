/** Arriving clients: an agent that resumes, a person who opens a link, an ARCP client that reconnects. */
import {
  bearer,
  createBaton,
  createFloor,
  expectStatus,
  filledFloor,
  patchFloor,
  times,
  type CreatedSession,
} from "./actors.ts";
import type { Load } from "./load.ts";
import { openSocket } from "./stream-connection.ts";
import type { Workload } from "./workload.ts";

let resumes = 0;

/** Spends the token, fences off older connections, and returns the next. */
export function resumeBaton(load: Load, session: CreatedSession): () => Promise<void> {
  return async () => {
    resumes += 1;
    const reply = await load.send({
      method: "POST",
      path: `/sessions/${session.id}/resume`,
      headers: { ...bearer(session), "Idempotency-Key": `r${resumes}` },
      body: "{}",
    });
    session.token = expectStatus(reply, 200).header("resume-token") ?? "";
  };
}

export async function pagePath(load: Load): Promise<string> {
  const session = await createBaton(load);
  const reply = await load.send({
    method: "POST",
    path: `/sessions/${session.id}/handoffs`,
    headers: bearer(session),
    body: JSON.stringify({ to: "human", scopes: ["fill"] }),
  });
  const { handoff } = JSON.parse(expectStatus(reply, 201).text) as { handoff: { code: string } };
  return `/h/${handoff.code}`;
}

const JOB_EVENTS = 100;

interface ArcpSession {
  token: string;
}

const hello = (resume: object): string =>
  JSON.stringify({
    arcp: "1.1",
    id: crypto.randomUUID(),
    type: "session.hello",
    payload: {
      client: { name: "bench", version: "1" },
      auth: { scheme: "bearer", token: "bench" },
      capabilities: { encodings: ["json"], features: ["ack"] },
      ...resume,
    },
  });

interface Frame {
  readonly type: string;
  readonly session_id: string;
  readonly event_seq?: number;
  readonly payload: Record<string, string>;
}

/** A session with one job that has emitted a hundred events. */
async function openArcp(load: Load): Promise<ArcpSession> {
  const agent = `bench-${crypto.randomUUID()}`;
  const token = await new Promise<string>((resolve, reject) => {
    let resumeToken = "";
    const opening = openSocket({
      port: load.port,
      path: "/arcp",
      onMessage(message, line) {
        const frame = JSON.parse(message.toString()) as Frame;
        if (frame.type === "session.welcome") {
          resumeToken = frame.payload["resume_token"] ?? "";
          const submit = { type: "job.submit", session_id: frame.session_id, payload: { agent } };
          line.send(JSON.stringify({ arcp: "1.1", id: crypto.randomUUID(), ...submit }));
        } else if (frame.type === "job.accepted") {
          line.close();
          resolve(resumeToken);
        } else if (frame.type.endsWith("error")) reject(new Error(message.toString()));
      },
    });
    opening.then((line) => line.send(hello({})), reject);
  });
  const post = async (path: string, body: object, jobToken?: string) =>
    expectStatus(
      await load.send({
        method: "POST",
        path,
        ...(jobToken === undefined ? {} : { headers: bearer({ token: jobToken }) }),
        body: JSON.stringify(body),
      }),
      200,
    );
  const claimed = await post(`/agents/${agent}/claim`, { waitMs: 10_000, leaseMs: 600_000 });
  const { jobToken } = JSON.parse(claimed.text) as { jobToken: string };
  const body = { level: "info", message: "x".repeat(60) };
  const events = times(JOB_EVENTS, () => ({ kind: "log", body }));
  await post("/jobs/events", { events }, jobToken);
  return { token };
}

/** A new connection, the resume, and every event from the first. */
function resumeArcp(load: Load, session: ArcpSession): Promise<void> {
  return new Promise((resolve, reject) => {
    let seen = 0;
    const opening = openSocket({
      port: load.port,
      path: "/arcp",
      onMessage(message, line) {
        if (message.includes('"event_seq":')) seen += 1;
        else if (message.includes('"session.welcome"')) {
          session.token = (JSON.parse(message.toString()) as Frame).payload["resume_token"] ?? "";
        } else if (message.includes('error"')) reject(new Error(message.toString()));
        if (seen < JOB_EVENTS) return;
        line.close();
        resolve();
      },
      onClose: () => reject(new Error(`closed after ${seen} events`)),
    });
    const resume = { resume_token: session.token, last_event_seq: 0 };
    opening.then((line) => line.send(hello({ resume })), reject);
  });
}

function resumeFloor(load: Load, { id }: CreatedSession): Promise<void> {
  return new Promise((resolve, reject) => {
    const opening = openSocket({
      port: load.port,
      path: `/socket/${id}?first=${JOB_EVENTS}`,
      onMessage(message, line) {
        if (!message.includes('"replay.done"')) return;
        line.close();
        resolve();
      },
      onClose: () => reject(new Error("closed")),
    });
    opening.then((line) => line.send(hello({})), reject);
  });
}

export const ARRIVALS: readonly Workload[] = [
  {
    name: "resume",
    group: "arrival",
    clients: 32,
    target: 0.85,
    isQuick: true,
    floor: async (load) => patchFloor(load, await createFloor(load)),
    baton: async (load) => resumeBaton(load, await createBaton(load)),
  },
  {
    name: "handoff page, first byte",
    group: "arrival",
    clients: 1,
    isQuick: true,
    async floor(load) {
      const [page, misses, link] = [
        await createFloor(load),
        await createFloor(load),
        await createFloor(load),
      ];
      const call = { method: "GET", path: `/page/${page.id}/${misses.id}/${link.id}` };
      return async () => expectStatus(await load.send(call), 200).firstByteMs;
    },
    async baton(load) {
      const call = { method: "GET", path: await pagePath(load) };
      return async () => expectStatus(await load.send(call), 200).firstByteMs;
    },
  },
  {
    name: "ARCP resume, 100 events",
    group: "arrival",
    clients: 4,
    target: 0.8,
    isQuick: true,
    async floor(load) {
      const log = await filledFloor(load, JOB_EVENTS);
      return () => resumeFloor(load, log);
    },
    async baton(load) {
      const session = await openArcp(load);
      return () => resumeArcp(load, session);
    },
  },
];
