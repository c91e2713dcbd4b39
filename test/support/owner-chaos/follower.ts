/** One who follows an owner's changes as server-sent events, and comes back where it was after each cut. */
import { setTimeout as sleep } from "node:timers/promises";

export interface Followed {
  readonly number: number;
  readonly id: string;
  /** Null where the session was removed. */
  readonly row: Readonly<Record<string, unknown>> | null;
}

const RETRY_MS = 30;

export class ChangeFollower {
  readonly followed: Followed[] = [];
  /** Connections that ended under it. */
  cuts = 0;
  readonly #url: string;
  readonly #key: string;
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  get last(): number {
    return this.followed.at(-1)?.number ?? 0;
  }

  start(): void {
    this.#running = this.#follow();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const answer = await fetch(`${this.#url}/sessions/changes`, {
          headers: {
            Authorization: `Bearer ${this.#key}`,
            Accept: "text/event-stream",
            ...(this.last === 0 ? {} : { "Last-Event-ID": String(this.last) }),
          },
          signal,
        });
        if (answer.status === 200 && answer.body !== null) await this.#read(answer.body);
        else await answer.body?.cancel();
      } catch {
        // Cut, or the runtime is not back yet: what came is kept, and it goes on from there.
      }
      this.cuts += 1;
      await sleep(RETRY_MS);
    }
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
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
    const { session, removed } = JSON.parse(data) as {
      readonly session: Readonly<Record<string, unknown>>;
      readonly removed?: true;
    };
    const row = removed === true ? null : session;
    this.followed.push({ number: Number(id), id: String(session["id"]), row });
  }
}
