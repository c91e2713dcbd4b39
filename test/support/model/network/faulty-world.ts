/** A server with faults, everything that reaches it, and a driver on top. */
import { startProxy, type Proxy } from "../../live/proxy.ts";
import { TRANSPORTS } from "../../live/connections.ts";
import { Random } from "../../live/random.ts";
import type { FollowingReader, NetworkServices, StoredState } from "../driver.ts";
import { Figures } from "../figures.ts";
import type { Period } from "../observer.ts";
import type { FaultStep } from "../plan.ts";
import { sleep } from "../sleep.ts";
import { appendBySocket } from "./socket-append.ts";
import { makeDisk, type Disk } from "./disk.ts";
import { readDump } from "./dump.ts";
import { FaultServer } from "./fault-server.ts";
import { gather, sendFile, untilCertain } from "./files.ts";
import { HttpDriver, type Exchange } from "./http-driver.ts";
import { openLink } from "./open-link.ts";
import { Reader } from "./reader.ts";
import { send } from "./send.ts";
import { ServerClock } from "./server-clock.ts";
import { objectIdOf } from "./wire.ts";

export interface FaultyWorldOptions {
  readonly seed: number;
  readonly vars?: Readonly<Record<string, string>>;
  /** The name of a planted bug. */
  readonly bug?: string;
  readonly createHeaders?: () => Readonly<Record<string, string>>;
  readonly createBody?: () => Readonly<Record<string, unknown>>;
}

const OUTAGES: ReadonlySet<string> = new Set(["kill", "stall", "disk full"]);
/** More than any jump of the clock, and the longest delay before something is tried again. */
const ALARM_CLOCK_MS = 600_000;
/** For how long a purge is tried while faults strike. */
const PURGE_MS = 20_000;

export class FaultyWorld implements NetworkServices {
  readonly figures = new Figures();
  readonly clock = new ServerClock();
  readonly driver: HttpDriver;
  readonly server: FaultServer;
  readonly disk: Disk;
  readonly #proxy: Proxy;
  readonly #random: Random;
  /** When the whole server was down, stood still, or had no space. */
  readonly outages: Period[] = [];
  #isOver = false;

  private constructor(server: FaultServer, disk: Disk, proxy: Proxy, options: FaultyWorldOptions) {
    this.server = server;
    this.disk = disk;
    this.#proxy = proxy;
    this.#random = new Random(options.seed);
    const { createHeaders, createBody } = options;
    this.driver = new HttpDriver({
      name: "faults",
      losesMessages: true,
      exchange: this.exchange,
      stored: (objectId) => this.stored(objectId),
      clock: (invoked, responded) => this.clock.range(invoked, responded),
      isOver: () => this.#isOver,
      appendBySocket: (id, request, fate) => appendBySocket(proxy.url, id, request, fate),
      network: this,
      ...(createHeaders === undefined ? {} : { createHeaders }),
      ...(createBody === undefined ? {} : { createBody }),
    });
  }

  static async start(options: FaultyWorldOptions): Promise<FaultyWorld> {
    const disk = makeDisk();
    // Also if the process is ended from outside: a server and a mount must not outlive it.
    process.once("exit", disk.remove);
    const { vars = {}, bug } = options;
    const server = await FaultServer.start(disk, { vars, ...(bug === undefined ? {} : { bug }) });
    return new FaultyWorld(server, disk, await startProxy(server.url), options);
  }

  async stop(): Promise<void> {
    await this.#proxy.stop();
    await this.server.stop();
    this.disk.remove();
    process.off("exit", this.disk.remove);
  }

  /** For what stays connected: it can be cut. */
  get streamUrl(): string {
    return this.#proxy.url;
  }

  end(): void {
    this.#isOver = true;
  }

  isOver(): boolean {
    return this.#isOver;
  }

  readonly exchange: Exchange = (request, fate) => send(this.server.url, request, fate);

  async stored(objectId: string): Promise<StoredState> {
    return readDump(await this.server.dump(objectId));
  }

  startReaders(sessionId: string, token: string): readonly FollowingReader[] {
    return TRANSPORTS.map((transport) => {
      const session = { id: sessionId, token };
      const reader = new Reader(transport, this.#proxy.url, session, this.#random.fork());
      return {
        done: reader.done,
        stopAt: (seq: number) => reader.stopAt(seq),
        stream: () => {
          const { events, refusal, connections } = reader;
          this.figures.count("readers", transport);
          this.figures.count("readers", `${transport}: connections`, connections);
          this.figures.count("readers", `${transport}: events`, events.length);
          return { id: transport, after: 0, events, refusal };
        },
      };
    });
  }

  openLink: NetworkServices["openLink"] = (recorder, link, name, fate) =>
    openLink(this.exchange, recorder, link, name, fate);

  sendFile: NetworkServices["sendFile"] = (recorder, file, fate) =>
    sendFile(this.exchange, recorder, file, fate);

  gather: NetworkServices["gather"] = ({ childTokens }, sessionId, commits, token) => {
    const dump = (objectId: string) => this.server.dump(objectId);
    return gather({ exchange: this.exchange, dump, childTokens }, sessionId, commits, token);
  };

  async strike(sessionId: string, fault: FaultStep): Promise<boolean> {
    const from = Date.now();
    const isDone = await this.#strike(sessionId === "" ? null : objectIdOf(sessionId), fault);
    if (OUTAGES.has(fault.fault)) this.outages.push({ from, to: Date.now() });
    if (isDone) this.figures.count("faults", fault.fault);
    return isDone;
  }

  async #strike(object: string | null, { fault, amount }: FaultStep): Promise<boolean> {
    const { server, clock, disk } = this;
    switch (fault) {
      case "kill":
        await clock.change(0, () => server.kill());
        return true;
      case "cut sockets":
        this.#proxy.cut();
        return true;
      case "clock":
        return clock
          .change(amount, () => server.setClock(amount))
          .then(
            () => true,
            () => false,
          );
      case "disk full": {
        const pid = server.runtimePid();
        disk.fill(pid);
        await sleep(amount);
        disk.free(pid);
        return true;
      }
      case "stall":
        return server.stall(amount);
      case "evict":
        return object !== null && server.evict(object, amount === 0 ? "hibernate" : "close");
      default:
        return object !== null && server.strike(object, { fault, amount });
    }
  }

  /** Does what is due in every object. The clock is ahead from now on, so that no earlier jump delays anything. */
  async runAlarms(): Promise<void> {
    const isSet = await this.clock
      .change(ALARM_CLOCK_MS, () => this.server.setClock(ALARM_CLOCK_MS))
      .catch(() => null);
    if (isSet !== null) await this.server.runAlarms();
  }

  async appendOnce(sessionId: string, token: string): Promise<void> {
    const body = JSON.stringify({ events: [{ type: "a.b" }] });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const path = `/sessions/${sessionId}/events`;
    await this.exchange({ method: "POST", path, headers, body }, "whole");
  }

  async purge(sessionId: string, token: string): Promise<boolean> {
    const headers = { authorization: `Bearer ${token}` };
    const request = { method: "DELETE", path: `/sessions/${sessionId}`, headers };
    for (const started = Date.now(); Date.now() - started < PURGE_MS; ) {
      const fate = this.#random.chance(0.3)
        ? this.#random.pick(["request lost", "cut off", "answer lost"] as const)
        : "whole";
      const response = await this.exchange(request, fate);
      if (response !== null && response.status < 500) {
        const code = response.status < 300 ? "gone" : codeIn(response.text);
        this.figures.count("answers", code === "gone" ? "purged" : `purge refused: ${code}`);
        return code === "gone";
      }
      await sleep(50);
    }
    this.figures.count("answers", "purge given up");
    return false;
  }

  inspectPurged: NetworkServices["inspectPurged"] = async (sessionId, tokens, codes) => {
    const object = objectIdOf(sessionId);
    const looks = [
      ...tokens.map(({ what, token }) => ({ what, path: `/sessions/${token}` })),
      ...codes.map((code) => ({ what: "a link of it", path: `/h/${code}` })),
    ];
    const requests: { what: string; status: number }[] = [];
    for (const { what, path } of looks) {
      const { status } = await untilCertain(this.exchange, { method: "GET", path, headers: {} });
      requests.push({ what, status });
    }
    const rows = (await this.server.dump(object)).commits.length;
    const files = (await this.server.files(object)).length;
    this.figures.count("checked", "purged sessions");
    return { rows, files, requests };
  };
}

const codeIn = (text: string): string => (JSON.parse(text) as { readonly code: string }).code;
