/** A server with faults, everything that reaches it, and a driver on top. */
import { createHash } from "node:crypto";
import { startProxy, type Proxy } from "../../live/proxy.ts";
import { TRANSPORTS } from "../../live/connections.ts";
import { Random } from "../../live/random.ts";
import { hiddenIn } from "../../person.ts";
import type { Answer, Driver, StoredState } from "../driver.ts";
import { Figures } from "../figures.ts";
import type {
  Child,
  History,
  LoggedCommit,
  Outcome,
  PurgeObservation,
  StoredFile,
} from "../history.ts";
import type { Period } from "../observer.ts";
import type { Fate, FaultStep } from "../plan.ts";
import { UNAUTHENTICATED, type Recorder } from "../recorder.ts";
import { sleep } from "../sleep.ts";
import { makeDisk, type Disk } from "./disk.ts";
import { FaultServer, type ServerOptions } from "./fault-server.ts";
import { httpDriver, type Exchange, type HttpDriverOptions } from "./http-driver.ts";
import { Reader } from "./reader.ts";
import { send } from "./send.ts";
import { ServerClock } from "./server-clock.ts";
import { appendBySocket } from "./socket-append.ts";
import { objectIdOf, objectOfToken, type HttpResponse } from "./wire.ts";

type IssuedLink = NonNullable<Answer["link"]>;

interface FileToSend {
  readonly id: string;
  readonly sessionId: string;
  readonly upload: string;
  readonly token: string;
  readonly bytes: string;
}

export interface FaultyWorldOptions
  extends ServerOptions,
    Pick<HttpDriverOptions, "createHeaders" | "createBody"> {
  readonly seed: number;
}

const OUTAGES: ReadonlySet<string> = new Set(["kill", "stall", "disk full"]);
/** More than any jump of the clock, and the longest delay before something is tried again. */
const ALARM_CLOCK_MS = 600_000;
/** For how long a purge is tried while faults strike. */
const PURGE_MS = 20_000;

/** A child is created before the answer to its fork, or by an alarm, which may come late or fail. */
const CHILD_MS = 30_000;

export class FaultyWorld {
  readonly figures = new Figures();
  readonly clock = new ServerClock();
  readonly driver: Driver;
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
    this.driver = httpDriver({
      losesMessages: true,
      exchange: this.exchange,
      stored: (objectId) => this.stored(objectId),
      clock: (invoked, responded) => this.clock.range(invoked, responded),
      isOver: () => this.#isOver,
      appendBySocket: (id, request, fate) => appendBySocket(proxy.url, id, request, fate),
      network: this,
      createHeaders,
      createBody,
    });
  }

  static async start(options: FaultyWorldOptions): Promise<FaultyWorld> {
    const disk = makeDisk();
    // Also if the process is ended from outside: a server and a mount must not outlive it.
    process.once("exit", disk.remove);
    const { vars, bug } = options;
    const server = await FaultServer.start(disk, { vars, bug });
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

  stored(objectId: string): Promise<StoredState> {
    return this.server.stored(objectId);
  }

  startReaders(sessionId: string, token: string): readonly Reader[] {
    const session = { id: sessionId, token };
    return TRANSPORTS.map(
      (transport) => new Reader(transport, this.#proxy.url, session, this.#random.fork()),
    );
  }

  /** A person follows a link and presses its button once, with a name that marks the opening. */
  async openLink(recorder: Recorder, link: IssuedLink, name: string, fate: Fate): Promise<void> {
    const path = `/h/${link.code}`;
    const invoked = Date.now();
    const record = (outcome: Outcome): void =>
      recorder.operation({
        ...UNAUTHENTICATED,
        id: `${name} by link`,
        name: "openLink",
        way: "page",
        participant: link.participant,
        mark: name,
        hasLostAttempt: outcome.kind === "unknown",
        invoked,
        outcome,
      });
    const landing = await this.exchange({ method: "GET", path, headers: {} }, "whole");
    if (landing === null) return;
    const refused = linkRefusal(landing);
    if (refused !== null) return record(refused);
    if (landing.status !== 200) return;
    const body = new URLSearchParams({ nonce: hiddenIn(landing.text, "nonce"), name }).toString();
    const cookies = [landing.headers["set-cookie"] ?? []].flat();
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      cookie: cookies.map((cookie) => cookie.split(";")[0]).join("; "),
    };
    const response = await this.exchange({ method: "POST", path, headers, body }, fate);
    if (response?.status === 303) return record({ kind: "ok", commit: null, replayed: false });
    return record((response === null ? null : linkRefusal(response)) ?? { kind: "unknown" });
  }

  async sendFile(recorder: Recorder, file: FileToSend, fate: Fate): Promise<void> {
    const { id, upload, bytes: body } = file;
    const invoked = Date.now();
    const headers = { authorization: `Bearer ${file.token}`, "content-type": "text/plain" };
    const path = `/sessions/${file.sessionId}/uploads/${upload}`;
    const response = await this.exchange({ method: "PUT", path, headers, body }, fate);
    const isCertain = response !== null && response.status < 500;
    const outcome = !isCertain ? "unknown" : response.status === 200 ? "ok" : "refused";
    recorder.put({ id, upload, sha256: hashOf(body), invoked, outcome });
  }

  /** What is stored outside the session's own rows: its files, and the children of its forks. */
  async gather(
    { childTokens }: Recorder,
    sessionId: string,
    commits: readonly LoggedCommit[],
    token: string,
  ): Promise<Pick<History, "files" | "children">> {
    const events = commits.flatMap((commit) => commit.events);
    const files: StoredFile[] = [];
    for (const { payload } of events.filter(({ type }) => type === "upload.requested")) {
      const upload = String(payload["upload"]);
      const path = `/sessions/${sessionId}/uploads/${upload}`;
      const { status, text } = await this.#untilCertain(path, { authorization: `Bearer ${token}` });
      if (status === 200 || status === 404) {
        files.push({ upload, sha256: status === 200 ? hashOf(text) : null });
      }
    }
    const children: Child[] = [];
    for (const { payload } of events.filter(({ type }) => type === "session.forked")) {
      children.push(await this.#child(String(payload["child"]), childTokens));
    }
    return { files, children };
  }

  async #child(id: string, tokens: readonly string[]): Promise<Child> {
    const object = objectIdOf(id);
    const token = tokens.find((one) => objectOfToken(one) === object);
    const status =
      token === undefined ? null : (await this.#untilCertain(`/sessions/${token}`)).status;
    for (const started = Date.now(); ; await sleep(200)) {
      const { stored } = await this.stored(object);
      if (stored !== null || Date.now() - started > CHILD_MS) return { id, stored, status };
    }
  }

  async #untilCertain(path: string, headers = {}): Promise<HttpResponse> {
    for (; ; await sleep(100)) {
      const response = await this.exchange({ method: "GET", path, headers }, "whole");
      if (response !== null && response.status < 500 && response.status !== 429) return response;
    }
  }

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
        return this.#setClock(amount);
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
    if (await this.#setClock(ALARM_CLOCK_MS)) await this.server.runAlarms();
  }

  #setClock(offset: number): Promise<boolean> {
    const setting = this.clock.change(offset, () => this.server.setClock(offset));
    return setting.then(
      () => true,
      () => false,
    );
  }

  async appendOnce(sessionId: string, token: string): Promise<void> {
    const body = JSON.stringify({ events: [{ type: "a.b" }] });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const path = `/sessions/${sessionId}/events`;
    await this.exchange({ method: "POST", path, headers, body }, "whole");
  }

  async purge(sessionId: string, token: string, isLossy: boolean): Promise<boolean> {
    const headers = { authorization: `Bearer ${token}` };
    const request = { method: "DELETE", path: `/sessions/${sessionId}`, headers };
    for (const started = Date.now(); Date.now() - started < PURGE_MS; ) {
      const fate =
        isLossy && this.#random.chance(0.3)
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

  async inspectPurged(
    sessionId: string,
    tokens: readonly { readonly what: string; readonly token: string }[],
    codes: readonly string[],
  ): Promise<PurgeObservation> {
    const object = objectIdOf(sessionId);
    const paths = [
      ...tokens.map(({ what, token }) => ({ what, path: `/sessions/${token}` })),
      ...codes.map((code) => ({ what: "a link of it", path: `/h/${code}` })),
    ];
    const requests: { what: string; status: number }[] = [];
    for (const { what, path } of paths) {
      requests.push({ what, status: (await this.#untilCertain(path)).status });
    }
    const rows = (await this.stored(object)).commits.length;
    const files = (await this.server.files(object)).length;
    this.figures.count("checked", "purged sessions");
    return { rows, files, requests };
  }
}

const codeIn = (text: string): string => (JSON.parse(text) as { readonly code: string }).code;
const hashOf = (bytes: string): string => createHash("sha256").update(bytes).digest("hex");

/** The status of the page says why a link does not open. */
const LINK_REFUSALS: Readonly<Record<number, string>> = {
  404: "link_unknown",
  409: "link_kept",
  410: "link_over",
  429: "rate_limited",
};

function linkRefusal({ status }: HttpResponse): Outcome | null {
  const code = LINK_REFUSALS[status];
  return code === undefined ? null : { kind: "refused", code };
}
