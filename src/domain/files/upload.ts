/**
 * Files of a session. The bytes are stored elsewhere. This file decides what was announced, what
 * arrived, and whether they match. A file appears in its field only after it is confirmed.
 */
import type { DecisionContext, DecisionResult } from "../session/decision";
import type { NewServerEvent } from "../log/event";
import { invalid, tooLarge } from "../failure";
import { fieldsProblem } from "../session/fields";
import { isJsonObject, listOf, own, type Json, type JsonObject } from "../json";
import { LIMITS } from "../limits";
import { omitUndefined, ok, refuse, type Result } from "../result";
import type { State } from "../session/state";
import { canWriteField, narrowingOf } from "../participants/narrowing";
import { ANY_FILE, fileSchemaOf, fileRuleOf, isAccepted, isFileList } from "./file-rule";
import type { FileRule } from "./file-rule";

export interface RequestUpload {
  readonly operation: "requestUpload";
  readonly field?: string | undefined;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly sha256?: string | undefined;
}

export interface ConfirmUpload {
  readonly operation: "confirmUpload";
  readonly upload: number;
  readonly size?: number | undefined;
  readonly sha256?: string | undefined;
}

export interface RemoveUpload {
  readonly operation: "removeUpload";
  readonly upload: number;
}

export interface Upload {
  readonly number: number;
  readonly field: string | null;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  /** First the announced hash, then the actual one. */
  readonly sha256: string | null;
  readonly status: "pending" | "confirmed" | "removed";
  readonly requestedAt: number;
  /** The storage key of the bytes, once all of them have arrived. */
  readonly stored: { readonly key: string; readonly size: number; readonly sha256: string } | null;
}

/** The name of the limit on the number of files in a session. */
export const FILE_COUNT = "the number of files";

export const uploadId = (number: number): string => `upl_${number}`;

export function requestUpload(command: RequestUpload, context: DecisionContext): DecisionResult {
  const all = context.uploads();
  const current = all.filter(({ status }) => status !== "removed");
  if (current.length >= LIMITS.uploads) return refuse(tooLarge(FILE_COUNT, LIMITS.uploads));
  const rule = ruleFor(context.session.schema, command.field);
  if (!rule.ok) return rule;
  if (command.size > rule.value.maxBytes) {
    return refuse(tooLarge("this file, in bytes", rule.value.maxBytes));
  }
  const used = current.reduce((sum, { size }) => sum + size, 0);
  if (used + command.size > LIMITS.filesBytes) {
    const what = "the total size of all files, in bytes";
    return refuse(tooLarge(what, LIMITS.filesBytes, used));
  }
  if (!isAccepted(rule.value, command.type)) {
    const acceptedTypes = rule.value.accept.join(", ");
    return refuse({ code: "unsupported_media_type", wanted: `files of type ${acceptedTypes}` });
  }
  const upload: Upload = {
    number: lastUploadNumber(context) + 1,
    field: command.field ?? null,
    name: command.name,
    type: command.type,
    size: command.size,
    sha256: command.sha256?.toLowerCase() ?? null,
    status: "pending",
    requestedAt: context.now,
    stored: null,
  };
  const event: NewServerEvent = {
    type: "upload.requested",
    payload: uploadPayload(upload),
    movesVersion: true,
    state: "awaiting_upload",
  };
  return ok({ events: [event], outcome: { upload: viewUpload(upload) }, upload, filled: true });
}

/** The highest number of any file announced here, or in the session that this one was forked from. */
export const lastUploadNumber = ({ session, uploads }: DecisionContext): number =>
  Math.max(session.parent?.uploads ?? 0, ...uploads().map(({ number }) => number));

/** The rule of the field's schema. A file without a field may be of any type. */
function ruleFor(schema: JsonObject | null, field: string | undefined): Result<FileRule> {
  if (field === undefined || schema === null) return ok(ANY_FILE);
  const node = fileSchemaOf(schema, field);
  return node === null
    ? refuse(invalid('the field must be one whose schema says format: "file"', "field"))
    : ok(fileRuleOf(node));
}

export function confirmUpload(command: ConfirmUpload, context: DecisionContext): DecisionResult {
  const found = findPermittedUpload(command.upload, context);
  if (!found.ok) return found;
  const upload = found.value;
  const { stored } = upload;
  if (upload.status !== "pending") return refuse(invalid("this file is already confirmed"));
  if (stored === null) {
    return refuse(invalid("the file has not arrived: PUT its bytes first, then confirm"));
  }
  if (command.size !== undefined && command.size !== stored.size) {
    return refuse(invalid(`the received file has ${stored.size} bytes`, "size"));
  }
  if (command.sha256 !== undefined && command.sha256.toLowerCase() !== stored.sha256) {
    return refuse(invalid(UPLOAD_HASH_MISMATCH, "sha256"));
  }
  const confirmed: Upload = { ...upload, status: "confirmed", sha256: stored.sha256 };
  const state = stateAfter(context, upload);
  const events: NewServerEvent[] = [
    { type: "upload.confirmed", payload: uploadPayload(confirmed), movesVersion: true, state },
  ];
  const { field } = upload;
  if (field !== null) {
    const { session } = context;
    const value = valueOf(session.schema, field, confirmed);
    const before = own(session.fields, field);
    const to = isFileList(session.schema, field) ? [...listOf(before), value] : value;
    const changes = { [field]: to };
    const failure = fieldsProblem(session.schema, session.fields, { changes, given: changes });
    if (failure !== null) return refuse(failure);
    events.push(fieldUpdatedEvent(field, before, to, state));
  }
  return ok({
    events,
    outcome: { upload: viewUpload(confirmed) },
    upload: confirmed,
    filled: true,
  });
}

export const UPLOAD_HASH_MISMATCH = "the file that arrived has another SHA-256; send it again";

export function removeUpload(command: RemoveUpload, context: DecisionContext): DecisionResult {
  const found = findPermittedUpload(command.upload, context);
  if (!found.ok) return found;
  const upload = found.value;
  const removed: Upload = { ...upload, status: "removed", stored: null };
  const state = stateAfter(context, upload);
  const events: NewServerEvent[] = [
    { type: "upload.removed", payload: uploadPayload(upload), movesVersion: true, state },
  ];
  const { field } = upload;
  const fieldValue = field === null ? undefined : own(context.session.fields, field);
  if (field !== null && fieldValue !== undefined) {
    const id = uploadId(upload.number);
    const remaining = listOf(fieldValue).filter((one) => idIn(one) !== id);
    const isListed = remaining.length < listOf(fieldValue).length;
    if (isListed)
      events.push(
        fieldUpdatedEvent(field, fieldValue, remaining.length === 0 ? undefined : remaining, state),
      );
    else if (idIn(fieldValue) === id)
      events.push(fieldUpdatedEvent(field, fieldValue, undefined, state));
  }
  const outcome = upload.stored === null ? {} : { removedKey: upload.stored.key };
  return ok({ events, outcome, upload: removed, filled: true });
}

/** The session waits until no file is pending. */
function stateAfter({ uploads }: DecisionContext, done: Upload): State {
  const isWaiting = uploads().some(
    ({ number, status }) => status === "pending" && number !== done.number,
  );
  return isWaiting ? "awaiting_upload" : "in_progress";
}

/** A file that this participant may confirm or remove. */
function findPermittedUpload(number: number, context: DecisionContext): Result<Upload> {
  const found = findUpload(number, context);
  const narrowing = narrowingOf(context.session, context.participant);
  const isPermitted = !found.ok || canWriteField(narrowing, found.value.field);
  return isPermitted ? found : refuse({ code: "not_found", what: "file" });
}

export function findUpload(
  number: number,
  context: Pick<DecisionContext, "uploads">,
): Result<Upload> {
  const upload = context.uploads().find((one) => one.number === number);
  return upload === undefined || upload.status === "removed"
    ? refuse({ code: "not_found", what: "file" })
    : ok(upload);
}

const fieldUpdatedEvent = (
  field: string,
  from: Json | undefined,
  to: Json | undefined,
  state: State,
): NewServerEvent => ({
  type: "fields.updated",
  payload: { changes: [{ field, ...omitUndefined({ from, to }) }] },
  movesVersion: true,
  state,
});

/** The value in the field: the file's description, or only its id if the schema expects a string. */
function valueOf(schema: JsonObject | null, field: string, upload: Upload): Json {
  const node = fileSchemaOf(schema, field);
  const isText = node !== null && own(node, "type") === "string";
  const { name, type, size, sha256 } = upload;
  const id = uploadId(upload.number);
  return isText ? id : { id, name, type, size, sha256 };
}

const idIn = (value: Json): Json | undefined => (isJsonObject(value) ? own(value, "id") : value);

const uploadPayload = ({ number, field, name, type, size, sha256 }: Upload) => ({
  upload: uploadId(number),
  ...(field === null ? {} : { field }),
  name,
  type,
  size,
  ...(sha256 === null ? {} : { sha256 }),
});

export const viewUpload = (upload: Upload): JsonObject => ({
  id: uploadId(upload.number),
  field: upload.field,
  name: upload.name,
  type: upload.type,
  size: upload.size,
  sha256: upload.sha256,
  status: upload.status,
  requestedAt: new Date(upload.requestedAt).toISOString(),
});
