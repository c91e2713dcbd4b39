/** Reads the memory allocations of the Worker and its objects from workerd's inspector. */

import { setTimeout as sleep } from "node:timers/promises";

interface Target {
  readonly id: string;
  readonly webSocketDebuggerUrl: string;
}

interface SamplingNode {
  readonly selfSize: number;
  readonly children: readonly SamplingNode[];
}

interface Answer {
  readonly id: number;
  readonly result?: { readonly profile?: { readonly head: SamplingNode } };
  readonly error?: { readonly message: string };
}

/** Bytes between two samples: small enough for some thousand samples in a megabyte of garbage. */
const SAMPLE_BYTES = 4_096;
/** Includes objects that were collected: all allocations count. */
const SAMPLING = {
  samplingInterval: SAMPLE_BYTES,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true,
};

const LISTED_TRIES = 50;
const LISTED_MS = 100;

export class Inspector {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #sent = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const answer = JSON.parse(String(data)) as Answer;
      this.#waiting.get(answer.id)?.(answer);
    });
  }

  /** Connects to the Worker of this name. It is listed a moment after it answers its first request. */
  static async open(address: string, name: string): Promise<Inspector> {
    const find = async (): Promise<Target | undefined> => {
      const listed = await (await fetch(`http://${address}/json`)).json();
      return (listed as readonly Target[]).find(({ id }) => id === name);
    };
    let target = await find();
    for (let tries = 1; target === undefined && tries < LISTED_TRIES; tries++) {
      await sleep(LISTED_MS);
      target = await find();
    }
    if (target === undefined) throw new Error(`the inspector knows no Worker "${name}"`);
    const socket = new WebSocket(target.webSocketDebuggerUrl);
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve);
      socket.addEventListener("error", () => reject(new Error("the inspector does not answer")));
    });
    return new Inspector(socket);
  }

  /** Bytes of the JavaScript heap that were allocated while `work` ran. */
  async allocatedBy(work: () => Promise<void>): Promise<number> {
    await this.#call("HeapProfiler.enable");
    await this.#call("HeapProfiler.startSampling", SAMPLING);
    await work();
    const { profile } = await this.#call("HeapProfiler.stopSampling");
    return profile === undefined ? 0 : sizeOf(profile.head);
  }

  close(): void {
    this.#socket.close();
  }

  async #call(method: string, params: object = {}): Promise<NonNullable<Answer["result"]>> {
    this.#sent += 1;
    const id = this.#sent;
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await answered;
    this.#waiting.delete(id);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  }
}

const sizeOf = ({ selfSize, children }: SamplingNode): number =>
  children.reduce((sum, child) => sum + sizeOf(child), selfSize);
