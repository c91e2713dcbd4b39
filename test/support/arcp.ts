/** A bare ARCP client for black-box tests: it knows frames, and none of the product's code. */
export interface Frame {
  readonly arcp: string;
  readonly id: string;
  readonly type: string;
  readonly session_id: string;
  readonly job_id?: string;
  readonly trace_id?: string;
  readonly event_seq?: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into payloads of every shape
  readonly payload: any;
}

export interface ArcpSocket {
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
  addEventListener(type: "close", closed: (event: { code: number; reason: string }) => void): void;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

/** The members in which clients' schemas allow null: on a last page, and in an executor's output. */
const MAY_BE_NULL = /^payload\.(?:next_cursor|result|body|details)(?:\.|$)/;

/** Returns the first member that is null although clients reject null there. */
export function wrongNullIn(value: unknown, at = ""): string | null {
  if (MAY_BE_NULL.test(at)) return null;
  if (value === null) return at;
  if (typeof value !== "object") return null;
  for (const [name, member] of Object.entries(value)) {
    const found = wrongNullIn(member, at === "" ? name : `${at}.${name}`);
    if (found !== null) return found;
  }
  return null;
}

export const FEATURES = ["heartbeat", "ack", "list_jobs", "subscribe", "result_chunk"] as const;

export interface HelloOptions {
  readonly bearer?: string | null;
  readonly features?: readonly string[];
  readonly extra?: object;
}

export class ArcpClient {
  readonly frames: Frame[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  /** If true, the client answers pings automatically, as the protocol requires. */
  answersPings = true;
  sessionId = "";
  resumeToken = "";
  readonly #socket: ArcpSocket;
  #read = 0;
  #ids = 0;
  #wake: () => void = () => {};
  #isClosed = false;
  #isDropped = false;

  constructor(line: ArcpSocket) {
    this.#socket = line;
    line.addEventListener("message", ({ data }) =>
      this.#receive(JSON.parse(String(data)) as Frame),
    );
    this.closed = new Promise((resolve) => {
      line.addEventListener("close", ({ code, reason }) => {
        this.#isClosed = true;
        resolve({ code, reason });
        this.#wake();
      });
    });
  }

  #receive(frame: Frame): void {
    if (frame.type === "session.ping") {
      if (this.answersPings) this.send("session.pong", { ping_nonce: frame.payload.nonce });
      return;
    }
    this.frames.push(frame);
    this.#wake();
  }

  /** Data sent after either side has closed is lost, as on a network. */
  raw(data: string): void {
    if (!this.#isClosed && !this.#isDropped) this.#socket.send(data);
  }

  send(type: string, payload: object = {}, extra: object = {}): string {
    const id = `m${++this.#ids}`;
    const session = this.sessionId === "" ? {} : { session_id: this.sessionId };
    this.raw(JSON.stringify({ arcp: "1.1", id, type, ...session, payload, ...extra }));
    return id;
  }

  /** Returns the next unread frame, in order. */
  async next(): Promise<Frame> {
    for (;;) {
      const frame = this.frames[this.#read];
      if (frame !== undefined) {
        this.#read += 1;
        const wrong = wrongNullIn(frame);
        if (wrong !== null) throw new Error(`${frame.type} carries ${wrong}: null`);
        return frame;
      }
      if (this.#isClosed) throw new Error("the connection is closed");
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Reads frames up to the first of this type. */
  async until(type: string): Promise<Frame> {
    for (;;) {
      const frame = await this.next();
      if (frame.type === type) return frame;
      if (frame.type === "session.error") throw new Error(JSON.stringify(frame.payload));
    }
  }

  /** Events up to and including this number. */
  async eventsUpTo(number: number): Promise<Frame[]> {
    const found: Frame[] = [];
    for (;;) {
      const frame = await this.next();
      if (frame.event_seq === undefined) continue;
      found.push(frame);
      if (frame.event_seq >= number) return found;
    }
  }

  async hello({
    bearer = "alice",
    features = FEATURES,
    extra = {},
  }: HelloOptions = {}): Promise<Frame> {
    this.send("session.hello", {
      client: { name: "test", version: "1" },
      ...(bearer === null ? {} : { auth: { scheme: "bearer", token: bearer } }),
      capabilities: { encodings: ["json"], features },
      ...extra,
    });
    const frame = await this.next();
    this.#readWelcome(frame);
    return frame;
  }

  #readWelcome(frame: Frame): void {
    if (frame.type !== "session.welcome") return;
    this.sessionId = frame.session_id;
    this.resumeToken = frame.payload.resume_token;
  }

  /** Opens with a first frame that the test chooses. */
  async open(type: string, payload: object): Promise<Frame> {
    this.send(type, payload);
    const frame = await this.next();
    this.#readWelcome(frame);
    return frame;
  }

  async submit(payload: object, extra: object = {}): Promise<string> {
    this.send("job.submit", payload, extra);
    const frame = await this.until("job.accepted");
    return frame.payload.job_id as string;
  }

  drop(): void {
    this.#isDropped = true;
    this.#socket.close();
  }
}

export const resumeOf = (token: string, lastEventSeq: number): HelloOptions["extra"] => ({
  resume: { resume_token: token, last_event_seq: lastEventSeq },
});

export const seqsOf = (frames: readonly Frame[]): readonly number[] =>
  frames.flatMap(({ event_seq: seq }) => (seq === undefined ? [] : [seq]));

export const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
