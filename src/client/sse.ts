/** Parses server-sent events from a stream of bytes, however it is split. */
interface ServerSentEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

export class SseParser {
  readonly #decoder = new TextDecoder();
  #remainder = "";
  #id: string | null = null;
  #event = "";
  #data: string[] = [];

  /** The events that this piece completes; an incomplete rest is kept for the next piece. */
  push(bytes: Uint8Array): readonly ServerSentEvent[] {
    const text = this.#remainder + this.#decoder.decode(bytes, { stream: true });
    // A carriage return at the very end may be the first half of a line end.
    const isHalf = text.endsWith("\r");
    const lines = (isHalf ? text.slice(0, -1) : text).split(/\r\n|\n|\r/);
    this.#remainder = (lines.pop() ?? "") + (isHalf ? "\r" : "");
    return lines.flatMap((line) => this.#parseLine(line) ?? []);
  }

  #parseLine(line: string): ServerSentEvent | null {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return null;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "id") this.#id = value;
    else if (name === "event") this.#event = value;
    else if (name === "data") this.#data.push(value);
    return null;
  }

  #dispatch(): ServerSentEvent | null {
    const found =
      this.#data.length === 0
        ? null
        : { id: this.#id, event: this.#event || "message", data: this.#data.join("\n") };
    this.#id = null;
    this.#event = "";
    this.#data = [];
    return found;
  }
}
