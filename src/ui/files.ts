/** A person's file: announced, sent and confirmed in one go, so that it is there or it is not. */
import { invalid, isMoved, type Failure } from "../domain/failure";
import { numberOf } from "../domain/ids";
import { isJsonObject } from "../domain/json";
import { LIMITS } from "../domain/limits";
import type { Gateway } from "../gateway/gateway";
import type { Presented } from "../gateway/session-calls";
import type { Incoming } from "../gateway/stream-in";
import type { Uploads } from "../gateway/uploads";
import { FILE_COUNT } from "../domain/files/upload";
import { typesText } from "./form/draw";
import { bytesText } from "./text";
import type { Visit } from "./visit";
import type { Reader } from "./words/index";

interface FileHand {
  readonly gateway: Gateway;
  readonly uploads: Uploads;
  readonly presented: Presented;
}

interface SentFile {
  readonly field: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly body: Incoming["body"];
}

const ATTEMPTS = 3;
const ANY_TYPE = "application/octet-stream";
const EMPTY = invalid("the file is empty");

/** Null when it is there, else why not. A file that failed leaves nothing waiting. */
export async function sendFile(hand: FileHand, file: SentFile): Promise<Failure | null> {
  const { gateway, uploads, presented } = hand;
  if (file.size === 0) return EMPTY;
  const given = /^[\w.+-]+\/[\w.+-]+/.exec(file.type)?.[0] ?? ANY_TYPE;
  const type = given.length > LIMITS.mediaTypeLength ? ANY_TYPE : given;
  const name = cleanName(file.name);
  const { field, size, body } = file;
  const requested = await write(hand, { operation: "requestUpload", field, name, type, size });
  if (!requested.ok) return requested.failure;
  const shown = requested.value.outcome["upload"];
  const id = isJsonObject(shown ?? null) ? String((shown as { id?: unknown }).id) : "";
  const upload = numberOf(id, "upl_") ?? 0;
  const sent = await uploads.put(presented, upload, { body, length: String(size), type });
  const failure = sent.ok ? await confirmed(hand, upload, sent.value.sha256) : sent.failure;
  if (failure !== null) await removeFile({ gateway, uploads, presented }, upload);
  return failure;
}

async function confirmed(hand: FileHand, upload: number, sha256: string): Promise<Failure | null> {
  const reply = await write(hand, { operation: "confirmUpload", upload, sha256 });
  return reply.ok ? null : reply.failure;
}

export async function removeFile(hand: FileHand, upload: number): Promise<Failure | null> {
  const reply = await write(hand, { operation: "removeUpload", upload });
  if (!reply.ok) return reply.failure;
  await hand.uploads.forget(reply.value.outcome["removedKey"]);
  return null;
}

/** A file touches its own field only, so it goes in on top of whatever the version is now. */
async function write(
  { gateway, presented }: FileHand,
  command: Parameters<Gateway["write"]>[1],
): ReturnType<Gateway["write"]> {
  let ifMatch: number | null = null;
  for (let attempt = 1; ; attempt++) {
    const reply = await gateway.write(presented, command, { ifMatch, idempotencyKey: null });
    if (reply.ok || !isMoved(reply.failure)) return reply;
    if (reply.current === undefined || attempt === ATTEMPTS) return reply;
    ifMatch = reply.current.version;
  }
}

/** The last part of a path, without what a name must not hold. */
const cleanName = (name: string): string =>
  (name.split(/[/\\]/).at(-1) ?? "").replaceAll(/\p{Cc}/gu, "").slice(-LIMITS.fileNameLength) ||
  "file";

/** Why a file is not there, in words that say what to do about it. */
export function fileProblem(
  failure: Failure,
  field: string,
  { visit, reader }: { readonly visit: Visit; readonly reader: Reader },
): string {
  const { words, format } = reader;
  const { files } = words;
  if (failure === EMPTY) return files.empty;
  switch (failure.code) {
    case "too_large":
      if (failure.what === FILE_COUNT) return files.tooMany;
      return failure.used === undefined
        ? files.tooLarge(bytesText(failure.limit, words, format))
        : files.noRoom;
    case "quota_exceeded":
      return files.noRoom;
    case "unsupported_media_type": {
      const node = visit.read(field).node;
      return files.wrongType(node?.kind === "file" ? typesText(node.rule, words) : "");
    }
    case "invalid_fields":
      return files.tooMany;
    case "illegal_transition":
      return files.closed;
    default:
      return files.failed;
  }
}
