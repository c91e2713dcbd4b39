/**
 * The product's Worker with a way in for faults: abort, eviction, alarms that come twice, late or
 * fail, the n-th SQL statement failing, a clock that jumps, and the stored rows as they are. Built for
 * the harness only; nothing of it is in the product, whose classes and routes are used unchanged.
 */
import workerdUnsafe from "workerd:unsafe";
import worker, {
  NoticeEndpoint as ProductEndpoint,
  OwnerDirectory as ProductDirectory,
} from "../../../../src/self-hosted";
import { SessionObject as Product } from "../../../../src/object/session-object";
import { openStorage } from "../../../../src/object/storage-port";
import type { Env } from "../../../../src/env";
import type { StoredState } from "../driver";
import { KEEP_TRIMMED, readStored } from "../stored";
import type { FaultName } from "../plan";
import type { ObjectFault } from "./faults";

export {
  AgentQueue,
  WebhookSender,
  HandoffDirectory,
  MissCounter,
} from "../../../../src/self-hosted";

// Statements that fail on purpose are logged as unhandled, thousands of them.
console.error = () => {};

/** Worker and objects share an isolate here, so one offset moves the clock of all. */
let clockOffsetMs = 0;
const trueNow = Date.now;
Date.now = () => trueNow() + clockOffsetMs;

/** How many statements, counted from now, until one fails; per instance, gone with it. */
interface Countdown {
  left: number;
}

export class SessionObject extends Product {
  readonly #countdown: Countdown;
  #alarmFault: FaultName | null = null;

  constructor(state: DurableObjectState, env: Env) {
    const countdown = { left: 0 };
    const storage = failing(state.storage, countdown);
    Object.defineProperty(state, "storage", { value: storage });
    super(state, env);
    this.#countdown = countdown;
  }

  async strike({ fault, amount }: ObjectFault): Promise<void> {
    if (fault === "abort") this.ctx.abort("a fault of the model");
    if (fault === "statement fails") this.#countdown.left = amount;
    if (fault === "alarm twice" || fault === "alarm late" || fault === "alarm fails") {
      this.#alarmFault = fault;
    }
    // As if the platform delivered it once more than it should.
    if (fault === "spurious alarm") await this.alarm();
  }

  override async alarm(): Promise<void> {
    const fault = this.#alarmFault;
    this.#alarmFault = null;
    if (fault === "alarm fails") throw new Error("the model fails this alarm");
    if (fault === "alarm late") {
      await this.ctx.storage.setAlarm(trueNow() + 1_500);
      return;
    }
    await super.alarm();
    if (fault === "alarm twice") await super.alarm();
  }

  runAlarm(): Promise<void> {
    return this.alarm();
  }

  async dump(): Promise<StoredState> {
    return readStored(openStorage(this.ctx.storage, { rowsRead: 0, rowsWritten: 0 }));
  }
}

/** The same storage, except that its n-th statement throws before it runs, and that a trim is kept. */
function failing(storage: DurableObjectStorage, countdown: Countdown): DurableObjectStorage {
  const { sql } = storage;
  const exec = (...args: Parameters<SqlStorage["exec"]>) => {
    if (countdown.left > 0 && --countdown.left === 0)
      throw new Error("the model fails this statement: disk I/O error");
    if (args[0].startsWith("DELETE FROM commits")) sql.exec(KEEP_TRIMMED.join(";"));
    return sql.exec(...args);
  };
  return new Proxy(storage, {
    get(target, name) {
      if (name === "sql") return { exec };
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

export class NoticeEndpoint extends ProductEndpoint {
  runAlarm(): Promise<void> {
    return this.alarm();
  }
}

export class OwnerDirectory extends ProductDirectory {
  runAlarm(): Promise<void> {
    return this.alarm();
  }
}

interface FaultPort {
  runAlarm(): Promise<void>;
  strike(fault: ObjectFault): Promise<void>;
  dump(): Promise<StoredState>;
}

export default {
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url, "http://localhost");
    if (!pathname.startsWith("/model/")) return worker.fetch(request, env, context);
    if (pathname === "/model/clock") {
      clockOffsetMs = Number(searchParams.get("offset"));
      return Response.json({ now: Date.now() });
    }
    if (pathname === "/model/files") {
      const listed = await env.UPLOADS.list({ prefix: `${searchParams.get("object")}/` });
      return Response.json(listed.objects.map(({ key }) => key));
    }
    const binding = searchParams.get("binding") as "NOTICE_ENDPOINT" | "OWNER_DIRECTORY" | null;
    const objects = env[binding ?? "SESSION"];
    const stub = objects.get(objects.idFromString(searchParams.get("object") ?? ""));
    const port = stub as unknown as FaultPort;
    if (pathname === "/model/dump") return Response.json(await port.dump());
    if (pathname === "/model/alarm") await port.runAlarm();
    else if (pathname === "/model/evict") {
      const webSockets = searchParams.get("sockets") as "hibernate" | "close";
      await workerdUnsafe.evict(stub, { webSockets });
    } else await port.strike((await request.json()) as ObjectFault);
    return Response.json({});
  },
} satisfies ExportedHandler<Env>;
