/** An owner of all sessions of a run, who follows their list through every cut, and searches files for purged texts. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { randomKey, type Answer, type Client } from "../../client.ts";
import { keyEntry, newKey } from "../../owners.ts";
import { filesUnder } from "../../server-process.ts";
import type { DirectoryObservation, ListChange, OwnedSession } from "../laws/owners.ts";
import type { EndedSession, Observations, ObservedRun, Observer } from "../observer.ts";
import { sleep } from "../sleep.ts";
import { patientClient } from "./patient-client.ts";

const PAGE = 200;
const RETRY_MS = 30;

export class OwnerObserver implements Observer {
  readonly key = newKey();
  /** A session that is created without a key belongs to this owner. */
  readonly vars = { OWNERS: JSON.stringify([{ name: "local", keys: [keyEntry(this.key)] }]) };
  readonly #ids = new Set<string>();
  readonly #texts = { purged: new Map<string, readonly string[]>(), living: "" };
  #client: Client | null = null;
  #run: ObservedRun | null = null;
  #follower: ChangeFollower | null = null;
  #seen: DirectoryObservation | null = null;

  createHeaders(): Readonly<Record<string, string>> {
    return { "baton-key": this.key };
  }

  createBody(): Readonly<Record<string, unknown>> {
    return { labels: { team: "blue" }, externalId: `external-${randomKey()}` };
  }

  async start(run: ObservedRun): Promise<void> {
    this.#run = run;
    this.#client = patientClient(run.url);
    this.#follower = new ChangeFollower(run.streamUrl, this.key);
  }

  async sessionEnded({ id, history }: EndedSession): Promise<void> {
    this.#ids.add(id);
    const texts = history.operations.flatMap(({ name, outcome, mark }) =>
      name === "append" && outcome.kind === "ok" && mark !== null ? [mark] : [],
    );
    // What a fork took over is kept for good reason; what was appended is nowhere else.
    if (history.purge !== undefined) this.#texts.purged.set(id, texts.slice(-2));
    else this.#texts.living = texts.at(-1) ?? this.#texts.living;
  }

  async observe(): Promise<void> {
    const follower = this.#follower;
    if (follower === null) return;
    const changes = await this.#changes();
    const listed = await this.#list();
    for (const { id } of [...changes, ...listed, ...follower.followed]) this.#ids.add(id);
    const sessions: OwnedSession[] = [];
    for (const id of this.#ids) sessions.push(await this.#session(id));
    const { followed, connections } = follower;
    this.#seen = { sessions, listed, followed, connections, changes, ...this.#search() };
  }

  /** Of all sessions that it has, or had. */
  async ids(): Promise<ReadonlySet<string>> {
    for (const { id } of await this.#list()) this.#ids.add(id);
    return this.#ids;
  }

  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    if (this.#client === null) throw new Error("the observer was not started");
    const sent = body === undefined ? {} : { body };
    return this.#client.call(method, path, { token: this.key, ...sent });
  }

  async stop(): Promise<void> {
    await this.#follower?.stop();
  }

  figures(): Readonly<Record<string, number>> {
    const { sessions = [], followed = [], connections = 0, searched = 0 } = this.#seen ?? {};
    return {
      "owner: sessions": sessions.length,
      "owner: changes": followed.length,
      "owner: connections": connections,
      "owner: purged texts searched for": searched,
    };
  }

  contribute(observations: Observations): Observations {
    return this.#seen === null ? observations : { ...observations, directory: this.#seen };
  }

  async #session(id: string): Promise<OwnedSession> {
    const { status, body, text } = await this.call("GET", `/sessions/${id}`);
    const commits = (await this.#run?.stored(id))?.commits ?? [];
    const states = commits.flatMap(({ events }) => events.map(({ state }) => state));
    if (status === 200) return { id, status: "shown", shown: body.session, states };
    if (status !== 410) throw new Error(`${id} answered ${status}: ${text.slice(0, 200)}`);
    return { id, status: body.code === "expired" ? "expired" : "gone", shown: null, states };
  }

  async #list(): Promise<DirectoryObservation["listed"]> {
    const found: DirectoryObservation["listed"][number][] = [];
    for (let cursor = ""; ; ) {
      const { body } = await this.call("GET", `/sessions?limit=${PAGE}${cursor}`);
      found.push(...body.sessions);
      if (body.nextCursor === null) return found;
      cursor = `&cursor=${body.nextCursor}`;
    }
  }

  async #changes(): Promise<readonly ListChange[]> {
    const found: ListChange[] = [];
    for (let after = 0; ; ) {
      const { body } = await this.call("GET", `/sessions/changes?after=${after}&limit=${PAGE}`);
      for (const { number, session, removed } of body.changes) {
        found.push({ number, id: session.id, row: removed === true ? null : session });
      }
      after = body.nextAfter;
      if (!body.more) return found;
    }
  }

  /** In every file of the server; a text of a session that is not purged shows that the search works. */
  #search(): Pick<DirectoryObservation, "traces" | "searched" | "findsLiving"> {
    const { purged, living } = this.#texts;
    const left = new Map<string, string>();
    const searched = [...purged.values()].flat().length;
    let findsLiving = living === "";
    for (const file of searched === 0 ? [] : filesUnder(this.#run?.dataFolder ?? "")) {
      const bytes = contentOf(file);
      findsLiving ||= bytes.includes(living);
      for (const [id, texts] of purged) {
        if (texts.some((text) => bytes.includes(text))) left.set(id, basename(file));
      }
    }
    const traces = [...left].map(([id, file]) => ({ id, file }));
    return { traces, searched, findsLiving };
  }
}

/** The server removes the other files of a database when it closes it: what is gone holds nothing. */
function contentOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return Buffer.alloc(0);
  }
}

/** Follows the changes as server-sent events, and continues after each cut. */
class ChangeFollower {
  readonly followed: ListChange[] = [];
  connections = 0;
  readonly #url: string;
  readonly #key: string;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
    this.#running = this.#follow();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    for (; !signal.aborted; await sleep(RETRY_MS)) {
      const last = this.followed.at(-1)?.number;
      const headers = {
        Authorization: `Bearer ${this.#key}`,
        Accept: "text/event-stream",
        ...(last === undefined ? {} : { "Last-Event-ID": String(last) }),
      };
      try {
        const { status, body } = await fetch(`${this.#url}/sessions/changes`, { headers, signal });
        if (status === 200 && body !== null) await this.#read(body);
        else await body?.cancel();
      } catch {
        // It was cut, or the runtime is not back yet: what came stays, and the next connection continues.
      }
    }
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    this.connections += 1;
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      const frames = text.split("\n\n");
      // What follows the last empty line may be half a frame.
      text = frames.pop() ?? "";
      for (const frame of frames) this.#take(frame);
    }
  }

  #take(frame: string): void {
    const id = /^id: (\d+)$/m.exec(frame)?.[1];
    const data = /^data: (.+)$/m.exec(frame)?.[1];
    if (id === undefined || data === undefined) return;
    const { session, removed } = JSON.parse(data);
    const row = removed === true ? null : session;
    this.followed.push({ number: Number(id), id: String(session.id), row });
  }
}
