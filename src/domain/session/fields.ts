/** Sets fields, title and next step. */
import type { CreateArguments, SetFields } from "./command";
import type { DecisionContext, DecisionResult } from "./decision";
import type { NewServerEvent } from "../log/event";
import { tooLarge, type Failure, type FieldProblem } from "../failure";
import { canonicalJson, isJsonObject, jsonBytes, own, type Json, type JsonObject } from "../json";
import { LIMITS } from "../limits";
import { operationRow } from "./operation";
import { ok, refuse, type Result } from "../result";
import type { Session } from "./session";
import type { State } from "./state";
import type { Upload } from "../files/upload";
import { fileSchemaOf } from "../files/file-rule";
import {
  hidePrivateValues,
  revealReadable,
  type HiddenChanges,
  type HidingContext,
  type PrivateValue,
} from "./private-values";
import { checkValues, checkDocument } from "./validation";

type Fields = Readonly<Record<string, Json>>;
type Confidence = SetFields["confidence"];

export function setFields(command: SetFields, context: DecisionContext): DecisionResult {
  const { session, uploads } = context;
  const state = operationRow("setFields").transitions[session.state] ?? session.state;
  // Without a schema, any field may contain a file. Most contain none, so the uploads are not read.
  const mayContainFile = Object.keys(command.fields).some((field) =>
    isFile(own(session.fields, field)),
  );
  const uploadsInFields =
    session.schema === null && mayContainFile ? uploads().filter(isConfirmed) : [];
  const failure = filesProblem(session.schema, session.fields, command.fields, uploadsInFields);
  if (failure !== null) return refuse(failure);
  const hidden = checkChanges(session.schema, session.fields, command.fields, context);
  if (!hidden.ok) return hidden;
  const { changes } = hidden.value;
  const events: NewServerEvent[] = [];
  if (Object.keys(command.fields).length > 0) {
    events.push(fieldsUpdated(session.fields, changes, command.confidence, state));
  }
  if (command.title !== undefined || command.nextStep !== undefined) {
    events.push(sessionUpdated(command, state));
  }
  return ok({
    events,
    outcome: {},
    filled: true,
    ...(hidden.value.private === undefined ? {} : { private: hidden.value.private }),
  });
}

/** The first fields of a new session, with the same event as later changes. */
export const initialFields = (
  { confidence }: Pick<CreateArguments, "confidence">,
  { changes }: HiddenChanges,
): readonly NewServerEvent[] =>
  Object.keys(changes).length === 0 ? [] : [fieldsUpdated({}, changes, confidence, "draft")];

/** Checks the changes against schema and limits, and hides private values. */
export function checkChanges(
  schema: JsonObject | null,
  before: Fields,
  changes: Fields,
  hiding: HidingContext,
): Result<HiddenChanges> {
  const hidden = hidePrivateValues(schema, before, changes, hiding);
  if (!hidden.ok) return hidden;
  const failure = fieldsProblem(schema, before, hidden.value);
  return failure === null ? hidden : refuse(failure);
}

/** Whether the value looks like a file. Only its upload proves that it is one. */
const isFile = (value: Json | undefined): boolean =>
  value !== undefined && isJsonObject(value) && String(own(value, "id")).startsWith("upl_");

const isConfirmed = ({ status }: Pick<Upload, "status">): boolean => status === "confirmed";

/** Only confirming and removing an upload may change a field that contains a file. */
export function filesProblem(
  schema: JsonObject | null,
  before: Fields,
  changes: Fields,
  uploadsInFields: readonly Pick<Upload, "field">[] = [],
): Failure | null {
  const problems = Object.entries(changes)
    .filter(
      ([field]) =>
        fileSchemaOf(schema, field) || uploadsInFields.some((one) => one.field === field),
    )
    .filter(([field, to]) => canonicalJson(own(before, field) ?? null) !== canonicalJson(to))
    .map(([field, to]) => ({
      field,
      problem: "invalid" as const,
      message:
        to === null
          ? "holds a file: remove its upload instead"
          : "takes a file: announce, send and confirm an upload instead",
    }));
  return problems.length === 0 ? null : { code: "invalid_fields", problems };
}

export function fieldsProblem(
  schema: JsonObject | null,
  before: Fields,
  { changes, given }: HiddenChanges,
): Failure | null {
  const values = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  const problems = checkValues(schema, values);
  if (problems.length > 0) return { code: "invalid_fields", problems };
  const after = withChanges(before, changes);
  if (Object.keys(after).length > LIMITS.fields) {
    return tooLarge("the number of fields", LIMITS.fields);
  }
  return jsonBytes(after) > LIMITS.documentBytes
    ? tooLarge("the total size of all fields, in bytes", LIMITS.documentBytes)
    : null;
}

/** Problems of the document with these changes, for a caller that may read these private values. */
export function documentProblems(
  session: Pick<Session, "schema" | "fields" | "fieldMeta">,
  { given }: HiddenChanges,
  readable: readonly PrivateValue[],
): readonly FieldProblem[] {
  const { document, isUnread } = revealReadable(session, readable);
  return checkDocument(session.schema, withChanges(document, given)).filter(
    ({ field }) => Object.hasOwn(given, field) || !isUnread(field),
  );
}

const withChanges = (before: Fields, changes: Fields): Fields =>
  Object.fromEntries(
    Object.entries({ ...before, ...changes }).filter(([, value]) => value !== null),
  );

function fieldsUpdated(
  before: Fields,
  given: Fields,
  confidence: Confidence,
  state: State,
): NewServerEvent {
  const changes = Object.entries(given).map(([field, to]) => {
    const from = own(before, field);
    return { field, ...(from === undefined ? {} : { from }), ...(to === null ? {} : { to }) };
  });
  const confidences = confidenceOf(given, confidence);
  return {
    type: "fields.updated",
    payload: { changes, ...(confidences === null ? {} : { confidence: confidences }) },
    movesVersion: true,
    state,
  };
}

/** One value per field that is set, none for removed fields. */
function confidenceOf(
  given: Fields,
  confidence: Confidence,
): Readonly<Record<string, number>> | null {
  if (confidence === undefined) return null;
  const confidences = Object.entries(given).flatMap(([field, value]) => {
    const fieldConfidence = typeof confidence === "number" ? confidence : own(confidence, field);
    return value === null || fieldConfidence === undefined
      ? []
      : [[field, fieldConfidence] as const];
  });
  return confidences.length === 0 ? null : Object.fromEntries(confidences);
}

const sessionUpdated = (
  { title, nextStep }: Pick<SetFields, "title" | "nextStep">,
  state: Session["state"],
): NewServerEvent => ({
  type: "session.updated",
  payload: {
    ...(title === undefined ? {} : { title }),
    ...(nextStep === undefined ? {} : { nextStep: nextStep as JsonObject | null }),
  },
  movesVersion: true,
  state,
});
