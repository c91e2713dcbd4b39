/**
 * The floor: a minimal Worker and object that do only the storage work of each operation, by RPC, without
 * tokens, rules or checks. Baton's cost is measured against it in the same run.
 */
import { DurableObject } from "cloudflare:workers";

interface FloorEnv {
  readonly FLOOR: DurableObjectNamespace<FloorObject>;
}

const TABLES = [
  `CREATE TABLE IF NOT EXISTS state (id INTEGER PRIMARY KEY, body TEXT NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS log (seq INTEGER PRIMARY KEY, last INTEGER NOT NULL, lines TEXT NOT NULL)`,
];
/** One answer of an object may contain 32 MiB, so a longer log is read in parts. */
const EVENTS_A_READ = 10_000;

export class FloorObject extends DurableObject {
  #calls = 0;

  /** The writes of a create: two tables, two rows and an alarm. */
  async create(body: string): Promise<string> {
    const { sql } = this.ctx.storage;
    this.ctx.storage.transactionSync(() => {
      for (const table of TABLES) sql.exec(table);
      sql.exec(`INSERT INTO state (id, body) VALUES (1, ?)`, body);
      sql.exec(`INSERT INTO log (seq, last, lines) VALUES (1, 1, ?)`, body);
    });
    await this.ctx.storage.setAlarm(Date.now() + 604_800_000);
    return body;
  }

  async get(): Promise<string> {
    return this.ctx.storage.sql.exec(`SELECT body FROM state WHERE id = 1`).one()["body"] as string;
  }

  /** The writes of a PATCH: the state's row and one row of the log. */
  async patch(body: string): Promise<string> {
    const { sql } = this.ctx.storage;
    this.ctx.storage.transactionSync(() => {
      sql.exec(`UPDATE state SET body = ? WHERE id = 1`, body);
      this.#insert(body, 1);
    });
    return body;
  }

  async append(lines: string, count: number): Promise<number> {
    const first = this.#insert(lines, count);
    for (const socket of this.ctx.getWebSockets()) socket.send(lines);
    return first;
  }

  async range(after: number, until: number): Promise<string> {
    const rows = this.ctx.storage.sql.exec(
      `SELECT lines FROM log WHERE seq > ? AND seq <= ? ORDER BY seq`,
      after,
      until,
    );
    return [...rows].map((row) => row["lines"] as string).join("\n");
  }

  async head(): Promise<number> {
    return this.#head();
  }

  /** The number of calls of this instance. 1 shows that it was evicted before. */
  async calls(): Promise<number> {
    this.#calls += 1;
    return this.#calls;
  }

  /** A listener: a hibernatable socket. */
  override async fetch(): Promise<Response> {
    const { 0: outer, 1: inner } = new WebSocketPair();
    this.ctx.acceptWebSocket(inner);
    return new Response(null, { status: 101, webSocket: outer });
  }

  override async alarm(): Promise<void> {}

  #head(): number {
    const { sql } = this.ctx.storage;
    const head = sql.exec(`SELECT last FROM log ORDER BY seq DESC LIMIT 1`).toArray()[0];
    return Number(head?.["last"] ?? 0);
  }

  #insert(lines: string, count: number): number {
    const first = this.#head() + 1;
    this.ctx.storage.sql.exec(
      `INSERT INTO log (seq, last, lines) VALUES (?, ?, ?)`,
      first,
      first + count - 1,
      lines,
    );
    return first;
  }
}

/** A log that fits one answer is one text; a longer one is a stream of such texts. */
async function readRange(stub: DurableObjectStub<FloorObject>, events: number): Promise<Response> {
  if (events <= EVENTS_A_READ) return new Response(await stub.range(0, Number.MAX_SAFE_INTEGER));
  const encoder = new TextEncoder();
  const head = await stub.head();
  let after = 0;
  return new Response(
    new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const text = await stub.range(after, after + EVENTS_A_READ);
          controller.enqueue(encoder.encode(`${text}\n`));
          after += EVENTS_A_READ;
          if (after >= head) controller.close();
        },
      },
      { highWaterMark: 0 },
    ),
  );
}

/**
 * The same range with one message per line, after the client's first message. With `first`, a write
 * precedes it and only this many events are read, without those that the writes add.
 */
function readOnSocket(stub: DurableObjectStub<FloorObject>, first: number): Response {
  const { 0: outer, 1: inner } = new WebSocketPair();
  inner.accept();
  // Otherwise the runtime reports a socket whose client has left as a request that hangs.
  for (const end of ["close", "error"] as const) inner.addEventListener(end, () => inner.close());
  let isReading = false;
  inner.addEventListener("message", async ({ data }) => {
    if (isReading) return;
    isReading = true;
    if (first > 0) await stub.patch(String(data));
    const head = first > 0 ? first : await stub.head();
    for (let after = 0; after < head; after += EVENTS_A_READ) {
      const text = await stub.range(after, Math.min(after + EVENTS_A_READ, head));
      for (const line of text.split("\n")) inner.send(`{"type":"event","event":${line}}`);
    }
    inner.send(`{"type":"replay.done"}`);
  });
  return new Response(null, { status: 101, webSocket: outer });
}

export default {
  async fetch(request: Request, env: FloorEnv): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const [, operation = "", hex = "", ...rest] = pathname.split("/");
    if (operation === "create") {
      const id = env.FLOOR.newUniqueId();
      const body = await env.FLOOR.get(id).create(await request.text());
      return Response.json({ id: id.toString(), body }, { status: 201 });
    }
    const stubOf = (id: string) => env.FLOOR.get(env.FLOOR.idFromString(id));
    const stub = stubOf(hex);
    switch (operation) {
      case "get":
        return new Response(await stub.get());
      case "calls":
        return new Response(String(await stub.calls()));
      case "page": {
        // Baton reads the misses in one object, the link in another, and the session in a third.
        for (const id of rest) await stubOf(id).get();
        return new Response(await stub.get(), { headers: { "Content-Type": "text/html" } });
      }
      case "patch":
        return new Response(await stub.patch(await request.text()));
      case "append": {
        const first = await stub.append(await request.text(), Number(searchParams.get("count")));
        return Response.json({ first }, { status: 201 });
      }
      case "listen":
        return stub.fetch(request);
      case "socket":
        return readOnSocket(stub, Number(searchParams.get("first")));
      case "range":
        return readRange(stub, Number(searchParams.get("events")));
      default:
        return new Response(null, { status: 404 });
    }
  },
};
