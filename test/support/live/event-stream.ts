/** Server-sent events read frame by frame off a response, as a browser does. */
export interface Frame {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

export class EventStream {
  readonly response: Response;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #decoder = new TextDecoder();
  #text = "";
  #hasEnded = false;

  constructor(response: Response) {
    this.response = response;
    this.#reader = response.body?.getReader();
  }

  /** The next frame with an event, or null once the stream has ended for any reason. */
  async next(): Promise<Frame | null> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const frame = parseFrame(this.#text.slice(0, end));
        this.#text = this.#text.slice(end + 2);
        if (frame.event !== undefined) return frame;
        continue;
      }
      if (!(await this.#readMore())) return null;
    }
  }

  /** All frames received so far. Waits only if there is none. */
  async nextBatch(): Promise<readonly Frame[] | null> {
    const first = await this.next();
    if (first === null) return null;
    const end = this.#text.lastIndexOf("\n\n");
    const rest = end < 0 ? [] : this.#text.slice(0, end).split("\n\n").map(parseFrame);
    this.#text = end < 0 ? this.#text : this.#text.slice(end + 2);
    return [first, ...rest.filter(({ event }) => event !== undefined)];
  }

  async cancel(): Promise<void> {
    this.#hasEnded = true;
    await this.#reader?.cancel().catch(() => {});
  }

  async #readMore(): Promise<boolean> {
    if (this.#hasEnded) return false;
    try {
      const chunk = await this.#reader?.read();
      if (chunk === undefined || chunk.done) this.#hasEnded = true;
      else this.#text += this.#decoder.decode(chunk.value, { stream: true });
    } catch {
      this.#hasEnded = true;
    }
    return !this.#hasEnded;
  }
}

const parseFrame = (block: string): Frame =>
  Object.fromEntries(
    block.split("\n").map((line) => {
      const at = line.indexOf(": ");
      return [line.slice(0, at), line.slice(at + 2)];
    }),
  );
