/** The same work twice: as Baton serves it, and as the bare platform would. */
import type { Load, Reply } from "./load.ts";

/** Makes one client's endless task. */
export type Client = (load: Load) => Promise<() => Promise<unknown>>;

export interface Workload {
  readonly name: string;
  readonly clients: number;
  readonly floor: Client;
  readonly baton: Client;
  /** The ratio that must be kept. */
  readonly target: number;
}

const EVENT = { type: "bench.event", payload: { text: "x".repeat(60) } };
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

function expectStatus(reply: Reply, status: number): Reply {
  if (reply.status !== status) throw new Error(`${reply.status}: ${reply.text.slice(0, 300)}`);
  return reply;
}

async function beginFloor(load: Load): Promise<string> {
  const reply = await load.send({ method: "POST", path: "/create", body: DOCUMENT });
  return (JSON.parse(expectStatus(reply, 201).text) as { id: string }).id;
}

interface Begun {
  readonly id: string;
  token: string;
}

async function beginBaton(load: Load): Promise<Begun> {
  const reply = await load.send({ method: "POST", path: "/sessions", body: DOCUMENT });
  const { session, resumeToken } = JSON.parse(expectStatus(reply, 201).text) as {
    session: { id: string };
    resumeToken: string;
  };
  return { id: session.id, token: resumeToken };
}

const bearer = ({ token }: Begun): Record<string, string> => ({ Authorization: `Bearer ${token}` });

const appending = (count: number): Pick<Workload, "floor" | "baton"> => {
  const lines = Array.from({ length: count }, () => LINE).join("\n");
  const body = JSON.stringify({ events: Array.from({ length: count }, () => EVENT) });
  return {
    async floor(load) {
      const id = await beginFloor(load);
      const path = `/append/${id}?count=${count}`;
      return async () => expectStatus(await load.send({ method: "POST", path, body: lines }), 201);
    },
    async baton(load) {
      const session = await beginBaton(load);
      const call = {
        method: "POST",
        path: `/sessions/${session.id}/events`,
        headers: bearer(session),
        body,
      };
      return async () => expectStatus(await load.send(call), 201);
    },
  };
};

/** A log of `events`, a hundred a commit, read whole with every request. */
const replaying = (events: number, accept: string | null): Pick<Workload, "floor" | "baton"> => ({
  async floor(load) {
    const id = await beginFloor(load);
    const lines = Array.from({ length: 100 }, () => LINE).join("\n");
    for (let i = 0; i < events / 100; i++) {
      await load.send({ method: "POST", path: `/append/${id}?count=100`, body: lines });
    }
    return async () =>
      expectStatus(await load.send({ method: "GET", path: `/range/${id}?after=0` }), 200);
  },
  async baton(load) {
    const session = await beginBaton(load);
    const body = JSON.stringify({ events: Array.from({ length: 100 }, () => EVENT) });
    const path = `/sessions/${session.id}/events`;
    for (let i = 0; i < events / 100; i++) {
      await load.send({ method: "POST", path, headers: bearer(session), body });
    }
    if (accept !== null) {
      const headers = { ...bearer(session), Accept: accept };
      return async () =>
        expectStatus(await load.send({ method: "GET", path: `${path}?after=0`, headers }), 200);
    }
    return async () => {
      for (let after = 0, more = true; more; ) {
        const call = {
          method: "GET",
          path: `${path}?after=${after}&limit=1000`,
          headers: bearer(session),
        };
        const page = JSON.parse(expectStatus(await load.send(call), 200).text) as {
          nextAfter: number;
          more: boolean;
        };
        ({ nextAfter: after, more } = page);
      }
    };
  },
});

export const WORKLOADS: readonly Workload[] = [
  {
    name: "create",
    clients: 32,
    target: 0.6,
    async floor(load) {
      return async () => beginFloor(load);
    },
    async baton(load) {
      return async () => beginBaton(load);
    },
  },
  {
    name: "get",
    clients: 32,
    target: 0.8,
    async floor(load) {
      const id = await beginFloor(load);
      return async () => expectStatus(await load.send({ method: "GET", path: `/get/${id}` }), 200);
    },
    async baton(load) {
      const session = await beginBaton(load);
      const call = { method: "GET", path: `/sessions/${session.id}`, headers: bearer(session) };
      return async () => expectStatus(await load.send(call), 200);
    },
  },
  {
    name: "PATCH",
    clients: 32,
    target: 0.7,
    async floor(load) {
      const id = await beginFloor(load);
      return async () =>
        expectStatus(
          await load.send({ method: "POST", path: `/patch/${id}`, body: DOCUMENT }),
          200,
        );
    },
    async baton(load) {
      const session = await beginBaton(load);
      let n = 0;
      return async () => {
        const body = JSON.stringify({ fields: { note: `${"x".repeat(60)}${n++}` } });
        const headers = { ...bearer(session), "Idempotency-Key": `k${n}` };
        const reply = await load.send({
          method: "PATCH",
          path: `/sessions/${session.id}`,
          headers,
          body,
        });
        session.token = String(expectStatus(reply, 200).headers["resume-token"]);
      };
    },
  },
  { name: "append 1", clients: 32, target: 0.8, ...appending(1) },
  { name: "append 100", clients: 32, target: 0.8, ...appending(100) },
  {
    name: "replay 10,000 as lines",
    clients: 2,
    target: 0.8,
    ...replaying(10_000, "application/x-ndjson"),
  },
  { name: "replay 10,000 as JSON", clients: 2, target: 0.75, ...replaying(10_000, null) },
];
