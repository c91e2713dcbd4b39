/** Uploads a person's file in one step, so that it is stored completely or not at all. */
import { invalid, isConflict, type Failure } from "../domain/failure";
import { numberOf } from "../domain/ids";
import { isJsonObject } from "../domain/json";
import { LIMITS } from "../domain/limits";
import type { Gateway } from "../gateway/gateway";
import type { UnverifiedCredential } from "../gateway/session-calls";
import type { IncomingBody } from "../gateway/stream-in";
import type { Uploads } from "../gateway/uploads";
import { FILE_COUNT } from "../domain/files/upload";
import { typesText } from "./form/draw";
import { bytesText } from "./text";
import type { PageView } from "./page-view";
import type { Reader } from "./words/index";

interface FileActionContext {
  readonly gateway: Gateway;
  readonly uploads: Uploads;
  readonly credential: UnverifiedCredential;
}

interface UploadedFile {
  readonly field: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly body: IncomingBody["body"];
}

const MAX_ATTEMPTS = 3;
const FALLBACK_TYPE = "application/octet-stream";
const EMPTY_FILE = invalid("the file is empty");

/** Null if the file is stored, else the failure. A failed upload is removed again. */
export async function uploadFile(
  context: FileActionContext,
  file: UploadedFile,
): Promise<Failure | null> {
  const { gateway, uploads, credential } = context;
  if (file.size === 0) return EMPTY_FILE;
  const declaredType = /^[\w.+-]+\/[\w.+-]+/.exec(file.type)?.[0] ?? FALLBACK_TYPE;
  const type = declaredType.length > LIMITS.mediaTypeLength ? FALLBACK_TYPE : declaredType;
  const name = cleanName(file.name);
  const { field, size, body } = file;
  const requested = await write(context, { operation: "requestUpload", field, name, type, size });
  if (!requested.ok) return requested.failure;
  const uploadView = requested.value.outcome["upload"];
  const id = isJsonObject(uploadView ?? null) ? String((uploadView as { id?: unknown }).id) : "";
  const upload = numberOf(id, "upl_") ?? 0;
  const sent = await uploads.put(credential, upload, { body, length: String(size), type });
  const failure = sent.ok ? await confirmUpload(context, upload, sent.value.sha256) : sent.failure;
  if (failure !== null) await removeFile({ gateway, uploads, credential }, upload);
  return failure;
}

async function confirmUpload(
  context: FileActionContext,
  upload: number,
  sha256: string,
): Promise<Failure | null> {
  const reply = await write(context, { operation: "confirmUpload", upload, sha256 });
  return reply.ok ? null : reply.failure;
}

export async function removeFile(
  context: FileActionContext,
  upload: number,
): Promise<Failure | null> {
  const reply = await write(context, { operation: "removeUpload", upload });
  if (!reply.ok) return reply.failure;
  await context.uploads.deleteFile(reply.value.outcome["removedKey"]);
  return null;
}

/** A file changes only its own field, so the write is retried against the newest version. */
async function write(
  { gateway, credential }: FileActionContext,
  command: Parameters<Gateway["write"]>[1],
): ReturnType<Gateway["write"]> {
  let ifMatch: number | null = null;
  for (let attempt = 1; ; attempt++) {
    const reply = await gateway.write(credential, command, { ifMatch, idempotencyKey: null });
    if (reply.ok || !isConflict(reply.failure)) return reply;
    if (reply.current === undefined || attempt === MAX_ATTEMPTS) return reply;
    ifMatch = reply.current.version;
  }
}

/** The last part of a path, without control characters. */
const cleanName = (name: string): string =>
  (name.split(/[/\\]/).at(-1) ?? "").replaceAll(/\p{Cc}/gu, "").slice(-LIMITS.fileNameLength) ||
  "file";

/** Why a file was not stored, as a text that says what to do. */
export function fileProblem(
  failure: Failure,
  field: string,
  { view, reader }: { readonly view: PageView; readonly reader: Reader },
): string {
  const { words, format } = reader;
  const { files } = words;
  if (failure === EMPTY_FILE) return files.empty;
  switch (failure.code) {
    case "too_large":
      if (failure.what === FILE_COUNT) return files.tooMany;
      return failure.used === undefined
        ? files.tooLarge(bytesText(failure.limit, words, format))
        : files.noRoom;
    case "quota_exceeded":
      return files.noRoom;
    case "unsupported_media_type": {
      const node = view.fieldOf(field).node;
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
