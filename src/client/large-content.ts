/**
 * Content that is too large for an event: stored in parts under their hashes, referenced by the
 * event, and joined again on reading. Callers of the SDK do not notice it.
 */
import type { LogEvent } from "../domain/log/event";
import type { JsonObject } from "../domain/json";
import { WireError } from "./errors";
import type { EventInput } from "./inputs";
import { jsonText } from "./json-text";
import type { TokenLine } from "./token-line";

/** Content that is stored separately: its size, and the hashes of its parts in order. */
export interface LargeContent {
  /** In bytes. */
  readonly size: number;
  /** SHA-256 of each part, in hex. */
  readonly parts: readonly string[];
}

/** Small enough to be resent after a broken connection, large enough to need few requests. */
const PART_BYTES = 8 * 1024 * 1024;
/** A larger payload is stored separately; the server accepts up to 256 KiB. */
const MAX_EVENT_BYTES = 192 * 1024;
/** All payloads of one append; the server accepts a body of up to 1 MiB. */
const MAX_APPEND_BYTES = 768 * 1024;
/** If an append is too large as a whole, payloads above this size are stored separately. */
const MAX_SMALL_BYTES = 2 * 1024;
/** The server accepts bodies nested up to 32 levels, including the levels around the payload. */
const MAX_DEPTH = 24;
/** The only member of a payload that refers to separately stored content. */
const CONTENT_MEMBER = "$blob";

const encoder = new TextEncoder();

/** Stores the bytes. Storing the same bytes again costs a request but no storage. */
export async function storeContent(
  tokenLine: TokenLine,
  data: Uint8Array | Blob | string,
  signal?: AbortSignal,
): Promise<LargeContent> {
  const whole = typeof data === "string" ? encoder.encode(data) : data;
  const size = whole instanceof Blob ? whole.size : whole.byteLength;
  const parts: string[] = [];
  for (let at = 0; at < size || parts.length === 0; at += PART_BYTES) {
    const slice = whole.slice(at, at + PART_BYTES);
    const bytes = slice instanceof Blob ? new Uint8Array(await slice.arrayBuffer()) : slice;
    const hash = await sha256Of(bytes);
    // A part that occurs twice in the content is sent once.
    if (!parts.includes(hash))
      await tokenLine.sendFile(blobPath(hash), bytes, OCTET_STREAM, signal);
    parts.push(hash);
  }
  return { size, parts };
}

/** Reads the content and throws if it does not match its hashes. */
export async function readContent(
  tokenLine: TokenLine,
  { size, parts }: LargeContent,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const hash of parts) {
    const bytes = await tokenLine.readBytes(blobPath(hash), signal);
    if ((await sha256Of(bytes)) !== hash || at + bytes.byteLength > size) {
      throw new Error(`The received content does not match its hash ${hash}.`);
    }
    whole.set(bytes, at);
    at += bytes.byteLength;
  }
  if (at !== size) throw new Error(`The content has ${at} bytes instead of ${size}.`);
  return whole;
}

/** Prepares events for sending: payloads that are too large or too deep are stored first. */
export async function packEvents(
  tokenLine: TokenLine,
  events: readonly EventInput[],
  signal?: AbortSignal,
): Promise<readonly EventInput[]> {
  const texts = events.map(({ payload }, index) =>
    payload === undefined ? "" : jsonText(payload, `events[${index}].payload`),
  );
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  const limit = total > MAX_APPEND_BYTES ? MAX_SMALL_BYTES : MAX_EVENT_BYTES;
  const packed: EventInput[] = [];
  for (const [index, event] of events.entries()) {
    const { payload } = event;
    const text = texts[index] ?? "";
    const isSeparate =
      payload !== undefined &&
      (CONTENT_MEMBER in payload || isLonger(text, limit) || isDeeper(payload, MAX_DEPTH));
    const { size, parts } = isSeparate ? await storeContent(tokenLine, text, signal) : NO_CONTENT;
    packed.push(isSeparate ? { ...event, payload: { [CONTENT_MEMBER]: { size, parts } } } : event);
  }
  return packed;
}

/**
 * The event as it was appended. If its content no longer exists, the event is returned unchanged.
 */
export async function unpackEvent(
  tokenLine: TokenLine,
  event: LogEvent,
  signal?: AbortSignal,
): Promise<LogEvent> {
  const content = contentIn(event.payload);
  if (content === null) return event;
  try {
    const bytes = await readContent(tokenLine, content, signal);
    return { ...event, payload: JSON.parse(new TextDecoder().decode(bytes)) as JsonObject };
  } catch (error) {
    if (error instanceof WireError && error.code === "not_found") return event;
    throw error;
  }
}

export const unpackEvents = (
  tokenLine: TokenLine,
  events: readonly LogEvent[],
  signal?: AbortSignal,
): Promise<readonly LogEvent[]> =>
  events.some(({ payload }) => CONTENT_MEMBER in payload)
    ? Promise.all(events.map((event) => unpackEvent(tokenLine, event, signal)))
    : Promise.resolve(events);

function contentIn(payload: JsonObject): LargeContent | null {
  const content = payload[CONTENT_MEMBER] as Partial<LargeContent> | null | undefined;
  const isContent =
    Object.keys(payload).length === 1 &&
    typeof content?.size === "number" &&
    Array.isArray(content.parts) &&
    content.parts.every((part: unknown) => typeof part === "string" && HASH.test(part));
  return isContent ? (content as LargeContent) : null;
}

const HASH = /^[0-9a-f]{64}$/;
const OCTET_STREAM = "application/octet-stream";
const NO_CONTENT: LargeContent = { size: 0, parts: [] };
const blobPath = (hash: string): string => `/blobs/${hash}`;

/** A character has at most three bytes of UTF-8, so most texts need not be encoded. */
const isLonger = (text: string, bytes: number): boolean =>
  text.length > bytes || (text.length * 3 > bytes && encoder.encode(text).byteLength > bytes);

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1));
}

async function sha256Of(bytes: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
