/**
 * Files of a session. The bytes are elsewhere; here is what was asked for, what arrived, and whether
 * they agree. A file counts, and its field shows it, only once it is confirmed.
 */
import type { DecisionContext, DecisionResult } from "../session/decision";
import type { NewEvent } from "../log/event";
import { invalid, tooLarge } from "../failure";
import { fieldsProblem } from "../session/fields";
import { isJsonObject, listOf, own, type Json, type JsonObject } from "../json";
import { LIMITS } from "../limits";
import { omitUndefined, ok, refuse, type Result } from "../result";
import type { State } from "../session/state";
import { narrowingOf } from "../links/terms";
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
  /** What the file was said to be, then what it is. */
  readonly sha256: string | null;
  readonly status: "pending" | "confirmed" | "removed";
  readonly requestedAt: number;
  /** Where the bytes are, once they have arrived whole. */
  readonly stored: { readonly key: string; readonly size: number; readonly sha256: string } | null;
}

/** What is too large where a session has as many files as it may have. */
export const FILE_COUNT = "the number of files";

export const uploadId = (number: number): string => `upl_${number}`;

export function requestUpload(command: RequestUpload, context: DecisionContext): DecisionResult {
  const all = context.uploads();
  const held = all.filter(({ status }) => status !== "removed");
  if (held.length >= LIMITS.uploads) return refuse(tooLarge(FILE_COUNT, LIMITS.uploads));
  const rule = ruleFor(context.session.schema, command.field);
  if (!rule.ok) return rule;
  if (command.size > rule.value.maxBytes) {
    return refuse(tooLarge("this file, in bytes", rule.value.maxBytes));
  }
  const used = held.reduce((sum, { size }) => sum + size, 0);
  if (used + command.size > LIMITS.filesBytes) {
    const what = "the total size of all files, in bytes";
    return refuse(tooLarge(what, LIMITS.filesBytes, used));
  }
  if (!isAccepted(rule.value, command.type)) {
    const wanted = rule.value.accept.join(", ");
    return refuse({ code: "unsupported_media_type", wanted: `files of type ${wanted}` });
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
  const fact: NewEvent = {
    type: "upload.requested",
    payload: uploadPayload(upload),
    moves: true,
    state: "awaiting_upload",
  };
  return ok({ facts: [fact], outcome: { upload: viewUpload(upload) }, upload, filled: true });
}

/** The highest number of a file that was ever announced, or that fields and copies of a fork may name. */
export const lastUploadNumber = ({ session, uploads }: DecisionContext): number =>
  Math.max(session.parent?.uploads ?? 0, ...uploads().map(({ number }) => number));

/** What the field's schema wants; a file without a field may be any. */
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
  const facts: NewEvent[] = [
    { type: "upload.confirmed", payload: uploadPayload(confirmed), moves: true, state },
  ];
  const { field } = upload;
  if (field !== null) {
    const { session } = context;
    const one = valueOf(session.schema, field, confirmed);
    const before = own(session.fields, field);
    const to = isFileList(session.schema, field) ? [...listOf(before), one] : one;
    const changes = { [field]: to };
    const failure = fieldsProblem(session.schema, session.fields, { changes, given: changes });
    if (failure !== null) return refuse(failure);
    facts.push(fieldUpdatedEvent(field, before, to, state));
  }
  return ok({ facts, outcome: { upload: viewUpload(confirmed) }, upload: confirmed, filled: true });
}

export const UPLOAD_HASH_MISMATCH = "the file that arrived has another SHA-256; send it again";

export function removeUpload(command: RemoveUpload, context: DecisionContext): DecisionResult {
  const found = findPermittedUpload(command.upload, context);
  if (!found.ok) return found;
  const upload = found.value;
  const removed: Upload = { ...upload, status: "removed", stored: null };
  const state = stateAfter(context, upload);
  const facts: NewEvent[] = [
    { type: "upload.removed", payload: uploadPayload(upload), moves: true, state },
  ];
  const { field } = upload;
  const shown = field === null ? undefined : own(context.session.fields, field);
  if (field !== null && shown !== undefined) {
    const id = uploadId(upload.number);
    const left = listOf(shown).filter((one) => idIn(one) !== id);
    const isListed = left.length < listOf(shown).length;
    if (isListed)
      facts.push(fieldUpdatedEvent(field, shown, left.length === 0 ? undefined : left, state));
    else if (idIn(shown) === id) facts.push(fieldUpdatedEvent(field, shown, undefined, state));
  }
  const outcome = upload.stored === null ? {} : { removedKey: upload.stored.key };
  return ok({ facts, outcome, upload: removed, filled: true });
}

/** Waiting ends with the last file that is waited for. */
function stateAfter({ uploads }: DecisionContext, done: Upload): State {
  const isWaiting = uploads().some(
    ({ number, status }) => status === "pending" && number !== done.number,
  );
  return isWaiting ? "awaiting_upload" : "in_progress";
}

/** A file that this participant may put into its field, or take out. */
function findPermittedUpload(number: number, context: DecisionContext): Result<Upload> {
  const found = findUpload(number, context);
  const narrowing = narrowingOf(context.session, context.participant);
  const isTheirs =
    !found.ok || narrowing === null || narrowing.ask.includes(found.value.field ?? "");
  return isTheirs ? found : refuse({ code: "not_found", what: "file" });
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
): NewEvent => ({
  type: "fields.updated",
  payload: { changes: [{ field, ...omitUndefined({ from, to }) }] },
  moves: true,
  state,
});

/** In the field: the file's description, or its id alone where the schema wants a text. */
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
