/**
 * The floor: a bare Worker and object that do only the storage work of each operation, by RPC, with
 * no token, no rule and no check. What Baton costs is measured against this, in the same run.
 */
import { DurableObject } from "cloudflare:workers";

interface FloorEnv {
  readonly FLOOR: DurableObjectNamespace<FloorObject>;
}

const TABLES = [
  `CREATE TABLE IF NOT EXISTS state (id INTEGER PRIMARY KEY, body TEXT NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS log (seq INTEGER PRIMARY KEY, last INTEGER NOT NULL, lines TEXT NOT NULL)`,
];

export class FloorObject extends DurableObject {
  /** What a create stores: two tables, two rows and an alarm. */
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

  /** What a PATCH stores: the state's row and one row of the log. */
  async patch(body: string): Promise<string> {
    const { sql } = this.ctx.storage;
    this.ctx.storage.transactionSync(() => {
      sql.exec(`UPDATE state SET body = ? WHERE id = 1`, body);
      this.#insert(body, 1);
    });
    return body;
  }

  async append(lines: string, count: number): Promise<number> {
    return this.#insert(lines, count);
  }

  async range(after: number): Promise<string> {
    const rows = this.ctx.storage.sql.exec(
      `SELECT lines FROM log WHERE seq > ? ORDER BY seq`,
      after,
    );
    return [...rows].map((row) => row["lines"] as string).join("\n");
  }

  override async alarm(): Promise<void> {}

  #insert(lines: string, count: number): number {
    const { sql } = this.ctx.storage;
    const head = sql.exec(`SELECT last FROM log ORDER BY seq DESC LIMIT 1`).toArray()[0];
    const first = Number(head?.["last"] ?? 0) + 1;
    sql.exec(
      `INSERT INTO log (seq, last, lines) VALUES (?, ?, ?)`,
      first,
      first + count - 1,
      lines,
    );
    return first;
  }
}

export default {
  async fetch(request: Request, env: FloorEnv): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const [, operation = "", hex = ""] = pathname.split("/");
    if (operation === "create") {
      const id = env.FLOOR.newUniqueId();
      const body = await env.FLOOR.get(id).create(await request.text());
      return Response.json({ id: id.toString(), body }, { status: 201 });
    }
    const stub = env.FLOOR.get(env.FLOOR.idFromString(hex));
    switch (operation) {
      case "get":
        return new Response(await stub.get());
      case "patch":
        return new Response(await stub.patch(await request.text()));
      case "append": {
        const first = await stub.append(await request.text(), Number(searchParams.get("count")));
        return Response.json({ first }, { status: 201 });
      }
      default:
        return new Response(await stub.range(Number(searchParams.get("after") ?? 0)));
    }
  },
};
