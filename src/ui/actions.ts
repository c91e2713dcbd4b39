/**
 * The actions of a person's form, one function for each button. A save is retried against the newest
 * version unless another actor changed the same fields; then the person chooses. No text that was typed
 * may be lost: a refused form is shown again with it.
 */
import type { Command } from "../domain/session/command";
import { isConflict, type Failure } from "../domain/failure";
import { own, type Json } from "../domain/json";
import { tryDecodeUri } from "../domain/decode-uri";
import type { NarrowedView } from "../domain/participants/narrowed-view";
import type { Gateway, GatewayReply } from "../gateway/gateway";
import type { WriteAnswer } from "../gateway/write-answer";
import { answersIn, isSame, jsonIn } from "./form/answers";
import { fieldsOfInputs, keysIn } from "./form/fields";
import type { Child, Texts } from "./form/node";
import { problemsIn } from "./form/problems";
import type { LinkHolder } from "./link-holder";
import { requestChangesBody } from "../protocol/document-requests";
import { parseAs } from "../protocol/parse-json";
import { textIn } from "./posted-form";
import { loadPageView } from "./page-view";

export type ActionResult =
  /** `at` is the version that the action created, if the page needs it. */
  | { readonly kind: "done"; readonly doneKey: string; readonly at?: number }
  | { readonly kind: "passed"; readonly token: string }
  /** The form is shown again with everything that was typed. */
  | {
      readonly kind: "again";
      readonly status: number;
      readonly problem: string;
      readonly errors: ReadonlyMap<string, string>;
      readonly conflicts: ReadonlySet<string>;
      /** Fields that were valid and are saved. */
      readonly saved: ReadonlySet<string>;
      /** A failure after which a retry may succeed. The response says when. */
      readonly later?: Failure;
    }
  | { readonly kind: "refused"; readonly failure: Failure };

/** A link holder and the texts of their form. */
export interface ActionContext extends LinkHolder {
  readonly typed: Texts;
}

const MAX_ATTEMPTS = 3;

export async function runAction(context: ActionContext, action: string): Promise<ActionResult> {
  const { typed, reader } = context;
  switch (action) {
    case "save": {
      const saved = await save(context, "save");
      if ("kind" in saved) return saved;
      return done(saved.changed ? "saved" : "unchanged", saved.session.version);
    }
    case "submit":
      return submitAnswers(context);
    case "handBack":
      return handBack(context);
    case "passOn":
      return passOn(context);
    case "approve":
      return decide(context, { operation: "approve", comment: textIn(typed, "comment") });
    case "reject":
      return decide(context, { operation: "reject", reason: textIn(typed, "reason") });
    case "requestChanges": {
      const body = { comment: textIn(typed, "comment"), fields: commentsIn(typed) };
      const parsed = parseAs(requestChangesBody, body);
      if (!parsed.ok) return explainFailure(context, parsed.error);
      return decide(context, { operation: "requestChanges", ...body });
    }
    case "decline":
    case "notMe":
      if (context.view.isDeclined) return done("decline");
      return decide(context, {
        operation: "decline",
        reason: textIn(typed, "declining"),
        ...(action === "notMe" ? { notMe: true } : {}),
      });
    default:
      return showAgain(400, reader.words.problems.busy);
  }
}

const done = (doneKey: string, version?: number): ActionResult => ({
  kind: "done",
  doneKey,
  ...(version === undefined ? {} : { at: version }),
});

const showAgain = (
  status: number,
  problem: string,
  errors: ReadonlyMap<string, string> = new Map(),
  conflicts: ReadonlySet<string> = new Set(),
): Extract<ActionResult, { kind: "again" }> => ({
  kind: "again",
  status,
  problem,
  errors,
  conflicts,
  saved: new Set(),
});

/** Writes under the form's one-time key. Each step of one press has its own suffix. */
function write(
  { gateway, credential, typed }: ActionContext,
  command: Command,
  ifMatch: number | null,
  step: string = command.operation,
): ReturnType<Gateway["write"]> {
  const key = (typed.get("key") ?? crypto.randomUUID()).slice(0, 64);
  return gateway.write(credential, command, { ifMatch, idempotencyKey: `${key}.${step}` });
}

const withoutFields = (
  errors: ReadonlyMap<string, string>,
  children: readonly Child[],
  fields: ReadonlySet<string>,
): ReadonlyMap<string, string> =>
  new Map(
    [...errors].filter(([name]) => {
      const inputFields = [...fieldsOfInputs(children, [name])];
      return inputFields.length === 0 || !inputFields.every((field) => fields.has(field));
    }),
  );

/** The problems of the typed answers, if nothing is saved now. */
export function typedProblems(context: ActionContext, action: string): ReadonlyMap<string, string> {
  const { view, typed, reader } = context;
  if (action !== "save" && action !== "submit") return new Map();
  const { fields } = view.session;
  const model = view.model(typed);
  const { values, untouched } = answersIn(model, typed, fields);
  const checkContext = { model, texts: typed, words: reader.words, amount: reader.amount };
  const found = problemsIn(checkContext, values, fields, action === "submit");
  return action === "save" ? withoutFields(found, model.children, untouched) : found;
}

interface SaveResult {
  readonly session: NarrowedView;
  readonly changed: boolean;
}

/**
 * `submit` and `answer` require every requested field; `answer` also marks the answer as complete. If
 * some answers are invalid or in conflict, the others are saved and these are shown again.
 */
async function save(
  context: ActionContext,
  step: "save" | "submit" | "answer",
): Promise<ActionResult | SaveResult> {
  const { gateway, credential, view, typed, reader } = context;
  const { problems } = reader.words;
  const answers = step === "answer";
  let { session } = view;
  const model = view.model(typed);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { values, changes, conflicts, untouched } = answersIn(model, typed, session.fields);
    const checkContext = { model, texts: typed, words: reader.words, amount: reader.amount };
    const found = problemsIn(checkContext, values, session.fields, step !== "save");
    const refused = fieldsOfInputs(model.children, found.keys());
    // A save on the way does not report fields that the person has not reached yet.
    const errors = step === "save" ? withoutFields(found, model.children, untouched) : found;
    const isRight = errors.size === 0 && conflicts.length === 0;
    // If a part of a field is invalid, the whole field is not saved.
    const unsaved = [...fieldsOfInputs(model.children, errors.keys())].map(view.labelOf);
    const problem = step === "save" ? problems.partly(unsaved.join(", ")) : problems.invalid;
    const conflictLabels = conflicts.map(view.labelOf).join(", ");
    const wrong =
      conflicts.length === 0
        ? showAgain(422, problem, errors)
        : showAgain(409, problems.choose(conflictLabels), errors, new Set(conflicts));
    const right = Object.entries(changes).filter(
      ([key]) => !refused.has(key) && !conflicts.includes(key),
    );
    const ends = answers && isRight;
    if (right.length === 0 && !ends) return isRight ? { session, changed: false } : wrong;
    const fields: Record<string, Json> = Object.fromEntries(right);
    const command = { operation: "setFields", fields, ...(ends ? { answers } : {}) } as const;
    const reply = await write(context, command, session.version, ends ? "answer" : "save");
    if (reply.ok) {
      return isRight
        ? { session: reply.value.session.view, changed: true }
        : { ...wrong, saved: new Set(Object.keys(fields)) };
    }
    if (!isConflict(reply.failure)) return explainFailure(context, reply.failure);
    // Loaded again, because a conflict reply has only hashes of private values.
    const now = await loadPageView(gateway, credential, view.code, reader.language);
    if (!now.ok) return explainFailure(context, now.failure);
    ({ session } = now.value);
  }
  return showAgain(409, problems.moved);
}

/**
 * Saves the complete answer. It submits the session if the link requested all of it and nothing else is
 * missing. Otherwise the answer goes back to the requester, who continues.
 */
async function submitAnswers(context: ActionContext): Promise<ActionResult> {
  if (context.view.isRequest) return sendAnswers(context);
  // A submission covers the whole session: if it changed since the page was shown, the person checks first.
  const isRepeated = ["submitted", "needs_review"].includes(context.view.session.state);
  const saved = await save(context, "submit");
  if ("kind" in saved) return saved;
  if (!isAsShown(context) && !isRepeated)
    return showAgain(409, context.reader.words.problems.moved);
  const reply = await write(context, { operation: "submit" }, saved.session.version);
  if (reply.ok) return done("submit");
  const { failure } = reply;
  if (failure.code !== "missing_fields" && failure.code !== "invalid_fields") {
    return explainFailure(context, failure);
  }
  const requestedKeys = new Set(context.view.model(null).children.flatMap(keysIn));
  const concernsPerson = failure.problems.some(
    ({ field }) => requestedKeys.has(field) || field === "",
  );
  return concernsPerson ? explainFailure(context, failure) : sendAnswers(context);
}

async function sendAnswers(context: ActionContext): Promise<ActionResult> {
  const saved = await save(context, "answer");
  return "kind" in saved ? saved : done("answered");
}

/** Whether every value is still as the page showed it, or as the person has now typed it. */
function isAsShown({ view, typed }: ActionContext): boolean {
  const { session, shown } = view;
  if (Number(typed.get("version")) === session.version) return true;
  const base = jsonIn(typed, "base");
  const seen = jsonIn(typed, "seen");
  const model = view.model(typed);
  const { values } = answersIn(model, typed, session.fields);
  const keys = model.children.flatMap(keysIn);
  return (
    keys.every((key) => {
      const now = own(session.fields, key);
      // An autosave of this page changed the value: that is the person's own change.
      return isSame(own(base, key), now) || isSame(values.get(key), now);
    }) && shown.every(({ key, value }) => isSame(own(seen, key), value))
  );
}

async function decide(context: ActionContext, command: Command): Promise<ActionResult> {
  const version = Number(context.typed.get("version"));
  if (!Number.isSafeInteger(version)) return showAgain(400, context.reader.words.problems.busy);
  // Declining is valid for every version, so it uses the newest.
  const ifMatch = command.operation === "decline" ? context.view.session.version : version;
  return toResult(context, await write(context, command, ifMatch), command.operation);
}

async function handBack(context: ActionContext): Promise<ActionResult> {
  const saved = await save(context, "save");
  if ("kind" in saved) return saved;
  const message = textIn(context.typed, "message");
  const handedBack = message === undefined ? {} : { message };
  const command = { operation: "setFields", fields: {}, answers: { handedBack } } as const;
  const reply = await write(context, command, saved.session.version, "handBack");
  return toResult(context, reply, "handBack");
}

async function passOn(context: ActionContext): Promise<ActionResult> {
  const command = {
    operation: "handoff",
    to: "agent",
    scopes: context.view.me.scopes,
    note: textIn(context.typed, "message"),
  } as const;
  const reply = await write(context, command, null, "passOn");
  if (!reply.ok) return explainFailure(context, reply.failure);
  const { participantToken } = reply.value;
  return participantToken === null
    ? showAgain(503, context.reader.words.problems.busy)
    : { kind: "passed", token: participantToken };
}

const toResult = (
  context: ActionContext,
  reply: GatewayReply<WriteAnswer>,
  doneKey: string,
): ActionResult => (reply.ok ? done(doneKey) : explainFailure(context, reply.failure));

function explainFailure({ reader }: ActionContext, failure: Failure): ActionResult {
  const { problems, errors } = reader.words;
  switch (failure.code) {
    case "invalid_fields":
    case "missing_fields": {
      const found = failure.problems
        .filter(({ field }) => field !== "")
        .map(({ field }) => [`f/${encodeURIComponent(field)}`, errors.check] as const);
      return showAgain(422, problems.invalid, new Map(found));
    }
    case "invalid_request":
      return showAgain(422, problems.invalid);
    case "precondition_failed":
    case "version_conflict":
      return showAgain(409, problems.moved);
    case "illegal_transition":
      return showAgain(409, problems.state);
    case "scope_denied":
      return showAgain(403, failure.why === "own_work" ? problems.ownWork : problems.scope);
    case "too_large":
      return showAgain(413, problems.tooLarge);
    case "rate_limited":
    case "busy":
    case "overloaded":
    case "internal": {
      const status = failure.code === "rate_limited" ? 429 : 503;
      return { ...showAgain(status, problems.busy), later: failure };
    }
    default:
      return { kind: "refused", failure };
  }
}

const COMMENT_PREFIX = "comment/f/";

function commentsIn(typed: Texts): Record<string, string> {
  const names = [...typed.keys()].filter((name) => name.startsWith(COMMENT_PREFIX));
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = textIn(typed, name);
      const field = tryDecodeUri(name.slice(COMMENT_PREFIX.length));
      return text === undefined || field === null ? [] : [[field, text]];
    }),
  );
}
