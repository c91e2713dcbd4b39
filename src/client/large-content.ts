/**
 * What is too large for an event: kept in parts under their hashes, named in the event's place, and
 * joined again when it is read. Whoever appends or reads through the SDK notices nothing of it.
 */
import type { LogEvent } from "../domain/log/event";
import type { JsonObject } from "../domain/json";
import { WireError } from "./errors";
import type { EventInput } from "./inputs";
import { jsonText } from "./json-text";
import type { TokenLine } from "./token-line";

/** Content that is kept apart: its length, and the hashes of its parts in their order. */
export interface LargeContent {
  /** In bytes. */
  readonly size: number;
  /** SHA-256 of each part, in hex. */
  readonly parts: readonly string[];
}

/** A part is small enough to be sent again after a broken connection, and large enough to be few. */
const PART_BYTES = 8 * 1024 * 1024;
/** An event's payload above this is kept apart; the server takes up to 256 KiB. */
const MAX_EVENT_BYTES = 192 * 1024;
/** All payloads of one append; the server takes a body of up to 1 MiB. */
const MAX_APPEND_BYTES = 768 * 1024;
/** Where an append is too large altogether, payloads above this are kept apart. */
const MAX_SMALL_BYTES = 2 * 1024;
/** The server takes bodies nested up to 32 deep, the payload's place in it included. */
const MAX_DEPTH = 24;
/** The one member of a payload that stands for content kept apart. */
const CONTENT_MEMBER = "$blob";

const encoder = new TextEncoder();

/** Keeps the bytes; the same bytes again cost a request and no storage. */
export async function storeContent(
  tokenLine: TokenLine,
  data: Uint8Array | Blob | string,
  signal?: AbortSignal,
): Promise<LargeContent> {
  const whole = typeof data === "string" ? encoder.encode(data) : data;
  const size = whole instanceof Blob ? whole.size : whole.byteLength;
  const parts: string[] = [];
  for (let at = 0; at < size || parts.length === 0; at += PART_BYTES) {
    const piece = whole.slice(at, at + PART_BYTES);
    const bytes = piece instanceof Blob ? new Uint8Array(await piece.arrayBuffer()) : piece;
    const hash = await sha256Of(bytes);
    // The same part twice in one piece of content is sent once.
    if (!parts.includes(hash))
      await tokenLine.sendFile(blobPath(hash), bytes, OCTET_STREAM, signal);
    parts.push(hash);
  }
  return { size, parts };
}

/** Reads it back, and throws where what came is not what was kept. */
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

/** Events as they are sent: what is too large or too deep of them is kept apart first. */
export async function packEvents(
  tokenLine: TokenLine,
  events: readonly EventInput[],
  signal?: AbortSignal,
): Promise<readonly EventInput[]> {
  const texts = events.map(({ payload }, index) =>
    payload === undefined ? "" : jsonText(payload, `events[${index}].payload`),
  );
  const all = texts.reduce((sum, text) => sum + text.length, 0);
  const limit = all > MAX_APPEND_BYTES ? MAX_SMALL_BYTES : MAX_EVENT_BYTES;
  const packed: EventInput[] = [];
  for (const [index, event] of events.entries()) {
    const { payload } = event;
    const text = texts[index] ?? "";
    const isKept =
      payload !== undefined &&
      (CONTENT_MEMBER in payload || isLonger(text, limit) || isDeeper(payload, MAX_DEPTH));
    const { size, parts } = isKept ? await storeContent(tokenLine, text, signal) : NO_CONTENT;
    packed.push(isKept ? { ...event, payload: { [CONTENT_MEMBER]: { size, parts } } } : event);
  }
  return packed;
}

/** An event as it was appended. One whose content cannot be had any more stays as it is. */
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

/** A character is at most three bytes of UTF-8, so most texts need not be encoded to know. */
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
