/**
 * Copies a program's output from its file to the terminal and to the session's log, in batches.
 * Each batch is saved with its key before it is sent, so that repeating it after a crash does not
 * append it twice.
 */
import { randomUUID } from "node:crypto";
import { open, type FileHandle } from "node:fs/promises";
import type { Session } from "../client/index";
import type { RunFile } from "./run-file";

/** Well below the limit of one event, even after JSON escaping. */
const BATCH_BYTES = 32 * 1024;
const TAIL_BYTES = 64 * 1024;

export class OutputRelay {
  readonly #file: RunFile;
  readonly #session: Session;
  readonly #show: (text: string) => void;
  #shownBytes: number;

  constructor(file: RunFile, session: Session, show: (text: string) => void) {
    this.#file = file;
    this.#session = session;
    this.#show = show;
    this.#shownBytes = file.state.sent;
  }

  /** Sends the available output. Only whole lines, unless the output has ended. */
  async forward(isLast: boolean): Promise<void> {
    const handle = await open(this.#file.outputPath, "r");
    try {
      while (await this.#forwardBatch(handle, isLast));
    } finally {
      await handle.close();
    }
  }

  async #forwardBatch(handle: FileHandle, isLast: boolean): Promise<boolean> {
    const { batch, sent, attempt } = this.#file.state;
    const bytes = await readAt(handle, sent, batch?.length ?? BATCH_BYTES);
    const length = batch?.length ?? batchLength(bytes, isLast);
    if (length === 0) return false;
    const next = batch ?? { offset: sent, length, key: randomUUID() };
    if (batch === null) await this.#file.update({ batch: next });
    const text = bytes.subarray(0, length).toString("utf8");
    if (sent + length > this.#shownBytes) this.#show(text);
    this.#shownBytes = sent + length;
    const payload = { attempt, offset: sent, text };
    await this.#session.append({ type: "run.output", payload }, { key: next.key });
    await this.#file.update({ sent: sent + length, batch: null });
    return true;
  }

  /** The end of the output, for finding out why the program stopped. */
  async tail(): Promise<string> {
    const handle = await open(this.#file.outputPath, "r");
    try {
      const { size } = await handle.stat();
      const from = Math.max(0, size - TAIL_BYTES);
      return (await readAt(handle, from, TAIL_BYTES)).toString("utf8");
    } finally {
      await handle.close();
    }
  }
}

async function readAt(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
  return buffer.subarray(0, bytesRead);
}

/** Ends after the last line break; a line longer than a batch is cut between two characters. */
function batchLength(bytes: Buffer, isLast: boolean): number {
  const lineEnd = bytes.lastIndexOf(0x0a) + 1;
  if (lineEnd > 0) return lineEnd;
  if (!isLast && bytes.length < BATCH_BYTES) return 0;
  if (bytes.length < BATCH_BYTES) return bytes.length;
  let end = bytes.length;
  while (end > 0 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1;
  return Math.max(end - 1, 1);
}
