/** An ARCP client that loses its connection and resumes, and keeps every event with its number. */
import { dial, type Dialled } from "../../arcp-stress.ts";
import { resumeOf, type Frame } from "../../arcp.ts";
import type { Random } from "../../live/random.ts";
import { sleep } from "../sleep.ts";

const HELLO_MS = 10_000;

export class ArcpLine {
  readonly received: { seq: number; mark: string | null }[] = [];
  connections = 0;
  sessionId = "";
  /** The frame that ended the job. */
  ending: Frame | null = null;
  readonly #url: string;
  readonly #bearer: string;
  readonly #random: Random;
  #token = "";
  #hasGivenUp = false;
  #line: Dialled | null = null;

  constructor(url: string, bearer: string, random: Random) {
    this.#url = url;
    this.#bearer = bearer;
    this.#random = random;
  }

  /** Connects, and if there is a session already, resumes after what was received. */
  async connect(deadline: number): Promise<void> {
    while (Date.now() < deadline) {
      this.drop();
      const line = await dial(this.#url);
      const last = this.received.at(-1)?.seq ?? 0;
      const extra = this.#token === "" ? {} : (resumeOf(this.#token, last) ?? {});
      const hello = line.client.hello({ bearer: this.#bearer, extra }).catch(() => null);
      const answer = await Promise.race([hello, sleep(HELLO_MS).then(() => null)]);
      if (answer?.type === "session.welcome") {
        this.#line = line;
        this.#token = line.client.resumeToken;
        this.sessionId = line.client.sessionId;
        this.connections += 1;
        return;
      }
      line.socket.terminate();
      if (answer !== null && answer.payload.retryable !== true) {
        throw new Error(`ARCP was refused: ${JSON.stringify(answer.payload)}`);
      }
      await sleep(this.#random.between(20, 100));
    }
  }

  /** The same submit with its key, until it is accepted; events of the job may come before that. */
  async submit(payload: object, deadline: number): Promise<boolean> {
    while (Date.now() < deadline) {
      const client = this.#line?.client;
      client?.send("job.submit", payload);
      for (;;) {
        const frame = (await client?.next().catch(() => null)) ?? null;
        if (frame === null || frame.type === "session.error") break;
        if (frame.type === "job.accepted") return true;
        this.#receive(frame);
      }
      await this.connect(deadline);
    }
    return false;
  }

  /** Receives events until the job has ended, and loses the connection now and then. */
  async receiveAll(deadline: number): Promise<void> {
    while (this.ending === null && !this.#hasGivenUp && Date.now() < deadline) {
      const timer = setTimeout(() => this.drop(), this.#random.between(30, 3_000));
      const line = this.#line;
      for (let isOpen = line !== null; isOpen && this.ending === null; ) {
        const frame = await line?.client.next().catch(() => null);
        isOpen = frame != null;
        if (frame != null) this.#receive(frame);
      }
      clearTimeout(timer);
      if (this.ending === null && !this.#hasGivenUp) await this.connect(deadline);
    }
    this.drop();
  }

  /** Nothing is to come any more. */
  giveUp(): void {
    this.#hasGivenUp = true;
    this.drop();
  }

  drop(): void {
    this.#line?.socket.terminate();
    this.#line = null;
  }

  #receive(frame: Frame): void {
    if (frame.event_seq === undefined) return;
    const mark = (frame.payload.body?.message ?? null) as string | null;
    this.received.push({ seq: frame.event_seq, mark });
    if (frame.type === "job.result" || frame.type === "job.error") this.ending = frame;
  }
}
