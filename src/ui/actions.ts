/**
 * What a person's form asks for, done. A save is repeated against the newest version as long as
 * nobody else touched the same fields; where somebody did, the person chooses. Nothing typed is lost:
 * whatever is refused comes back with it. Long because it is one list, with a function for each button.
 */
import type { Command } from "../domain/session/command";
import { isMoved, type Failure } from "../domain/failure";
import { own, type Json } from "../domain/json";
import { decodedUri } from "../domain/decoded-uri";
import type { NarrowedView } from "../domain/links/narrowed-view";
import type { Gateway, GatewayReply } from "../gateway/gateway";
import type { WriteAnswer } from "../gateway/write-answer";
import { answersIn, isSame, jsonIn } from "./form/answers";
import { fieldsWith, keysIn } from "./form/fields";
import type { Child, Texts } from "./form/node";
import { problemsIn } from "./form/problems";
import type { Guest } from "./guest";
import { requestChangesBody } from "../protocol/document-requests";
import { parseAs } from "../protocol/json-guard";
import { textIn } from "./posted-form";
import { visit as look } from "./visit";

export type Acted =
  /** `at` is the version that it made, where the page needs it. */
  | { readonly kind: "done"; readonly word: string; readonly at?: number }
  | { readonly kind: "passed"; readonly token: string }
  /** Shown again, with everything typed. */
  | {
      readonly kind: "again";
      readonly status: number;
      readonly problem: string;
      readonly errors: ReadonlyMap<string, string>;
      readonly conflicts: ReadonlySet<string>;
      /** Fields that were right, and are saved. */
      readonly saved: ReadonlySet<string>;
      /** It may go through later; the answer says when. */
      readonly later?: Failure;
    }
  | { readonly kind: "refused"; readonly failure: Failure };

/** A guest, with what they typed. */
export interface Hand extends Guest {
  readonly typed: Texts;
}

const ATTEMPTS = 3;

export async function act(hand: Hand, action: string): Promise<Acted> {
  const { typed, reader } = hand;
  switch (action) {
    case "save": {
      const saved = await save(hand, "save");
      if ("kind" in saved) return saved;
      return done(saved.changed ? "saved" : "unchanged", saved.session.version);
    }
    case "submit":
      return answerAll(hand);
    case "handBack":
      return handBack(hand);
    case "passOn":
      return passOn(hand);
    case "approve":
      return decide(hand, { operation: "approve", comment: textIn(typed, "comment") });
    case "reject":
      return decide(hand, { operation: "reject", reason: textIn(typed, "reason") });
    case "requestChanges": {
      const body = { comment: textIn(typed, "comment"), fields: commentsIn(typed) };
      const read = parseAs(requestChangesBody, body);
      if (!read.ok) return explain(hand, read.error);
      return decide(hand, { operation: "requestChanges", ...body });
    }
    case "decline":
    case "notMe":
      if (hand.visit.isDeclined) return done("decline");
      return decide(hand, {
        operation: "decline",
        reason: textIn(typed, "declining"),
        ...(action === "notMe" ? { notMe: true } : {}),
      });
    default:
      return again(400, reader.words.problems.busy);
  }
}

const done = (word: string, at?: number): Acted => ({
  kind: "done",
  word,
  ...(at === undefined ? {} : { at }),
});

const again = (
  status: number,
  problem: string,
  errors: ReadonlyMap<string, string> = new Map(),
  conflicts: ReadonlySet<string> = new Set(),
): Extract<Acted, { kind: "again" }> => ({
  kind: "again",
  status,
  problem,
  errors,
  conflicts,
  saved: new Set(),
});

/** Under the one-use key of the form; each step of one press has a name of its own under it. */
function write(
  { gateway, presented, typed }: Hand,
  command: Command,
  ifMatch: number | null,
  step: string = command.operation,
): ReturnType<Gateway["write"]> {
  const key = (typed.get("key") ?? crypto.randomUUID()).slice(0, 64);
  return gateway.write(presented, command, { ifMatch, idempotencyKey: `${key}.${step}` });
}

const without = (
  errors: ReadonlyMap<string, string>,
  children: readonly Child[],
  fields: ReadonlySet<string>,
): ReadonlyMap<string, string> =>
  new Map(
    [...errors].filter(([name]) => {
      const named = [...fieldsWith(children, [name])];
      return named.length === 0 || !named.every((field) => fields.has(field));
    }),
  );

/** What is wrong with what was typed, where nothing is to be saved now. */
export function problemsOf(hand: Hand, action: string): ReadonlyMap<string, string> {
  const { visit, typed, reader } = hand;
  if (action !== "save" && action !== "submit") return new Map();
  const { fields } = visit.session;
  const model = visit.model(typed);
  const { values, untouched } = answersIn(model, typed, fields);
  const checking = { model, texts: typed, words: reader.words, amount: reader.amount };
  const found = problemsIn(checking, values, fields, action === "submit");
  return action === "save" ? without(found, model.children, untouched) : found;
}

interface Saved {
  readonly session: NarrowedView;
  readonly changed: boolean;
}

/**
 * `submit` asks for the whole of what is asked, `answer` also says that this was it. Where some answers
 * are wrong or somebody else changed them too, the others are saved, and these come back.
 */
async function save(hand: Hand, step: "save" | "submit" | "answer"): Promise<Acted | Saved> {
  const { gateway, presented, visit, typed, reader } = hand;
  const { problems } = reader.words;
  const answers = step === "answer";
  let { session } = visit;
  const model = visit.model(typed);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { values, changes, conflicts, untouched } = answersIn(model, typed, session.fields);
    const checking = { model, texts: typed, words: reader.words, amount: reader.amount };
    const found = problemsIn(checking, values, session.fields, step !== "save");
    const refused = fieldsWith(model.children, found.keys());
    // Who saves on the way is not told of what they have not come to yet.
    const errors = step === "save" ? without(found, model.children, untouched) : found;
    const isRight = errors.size === 0 && conflicts.length === 0;
    // A part of a field that is wrong keeps the whole of it from being saved.
    const unsaved = [...fieldsWith(model.children, errors.keys())].map(visit.labelOf);
    const problem = step === "save" ? problems.partly(unsaved.join(", ")) : problems.invalid;
    const named = conflicts.map(visit.labelOf).join(", ");
    const wrong =
      conflicts.length === 0
        ? again(422, problem, errors)
        : again(409, problems.choose(named), errors, new Set(conflicts));
    const right = Object.entries(changes).filter(
      ([key]) => !refused.has(key) && !conflicts.includes(key),
    );
    const ends = answers && isRight;
    if (right.length === 0 && !ends) return isRight ? { session, changed: false } : wrong;
    const fields: Record<string, Json> = Object.fromEntries(right);
    const command = { operation: "setFields", fields, ...(ends ? { answers } : {}) } as const;
    const reply = await write(hand, command, session.version, ends ? "answer" : "save");
    if (reply.ok) {
      return isRight
        ? { session: reply.value.shown.view, changed: true }
        : { ...wrong, saved: new Set(Object.keys(fields)) };
    }
    if (!isMoved(reply.failure)) return explain(hand, reply.failure);
    // Looked at anew: what a conflict tells has only hashes of private values.
    const now = await look(gateway, presented, visit.code, reader.language);
    if (!now.ok) return explain(hand, now.failure);
    ({ session } = now.value);
  }
  return again(409, problems.moved);
}

/**
 * The person's whole answer. It submits the session where it was not only a part of it that was asked
 * for, and where nothing else is missing; otherwise whoever asked goes on with the answer.
 */
async function answerAll(hand: Hand): Promise<Acted> {
  if (hand.visit.isRequest) return answerOnly(hand);
  // Who submits answers for the whole: if it is not what they saw, they look first.
  const isRepeated = ["submitted", "needs_review"].includes(hand.visit.session.state);
  const saved = await save(hand, "submit");
  if ("kind" in saved) return saved;
  if (!isSeen(hand) && !isRepeated) return again(409, hand.reader.words.problems.moved);
  const reply = await write(hand, { operation: "submit" }, saved.session.version);
  if (reply.ok) return done("submit");
  const { failure } = reply;
  if (failure.code !== "missing_fields" && failure.code !== "invalid_fields") {
    return explain(hand, failure);
  }
  const asked = new Set(hand.visit.model(null).children.flatMap(keysIn));
  const isTheirs = failure.problems.some(({ field }) => asked.has(field) || field === "");
  return isTheirs ? explain(hand, failure) : answerOnly(hand);
}

async function answerOnly(hand: Hand): Promise<Acted> {
  const saved = await save(hand, "answer");
  return "kind" in saved ? saved : done("answered");
}

/** Is everything that the page showed still as it showed it, or as the person now says it? */
function isSeen({ visit, typed }: Hand): boolean {
  const { session, shown } = visit;
  if (Number(typed.get("version")) === session.version) return true;
  const base = jsonIn(typed, "base");
  const seen = jsonIn(typed, "seen");
  const model = visit.model(typed);
  const { values } = answersIn(model, typed, session.fields);
  const keys = model.children.flatMap(keysIn);
  return (
    keys.every((key) => {
      const now = own(session.fields, key);
      // What was saved by itself a moment ago is the person's own.
      return isSame(own(base, key), now) || isSame(values.get(key), now);
    }) && shown.every(({ key, value }) => isSame(own(seen, key), value))
  );
}

async function decide(hand: Hand, command: Command): Promise<Acted> {
  const version = Number(hand.typed.get("version"));
  if (!Number.isSafeInteger(version)) return again(400, hand.reader.words.problems.busy);
  // A no is a no, whatever was written meanwhile.
  const ifMatch = command.operation === "decline" ? hand.visit.session.version : version;
  return answer(hand, await write(hand, command, ifMatch), command.operation);
}

async function handBack(hand: Hand): Promise<Acted> {
  const saved = await save(hand, "save");
  if ("kind" in saved) return saved;
  const message = textIn(hand.typed, "message");
  const handedBack = message === undefined ? {} : { message };
  const command = { operation: "setFields", fields: {}, answers: { handedBack } } as const;
  const reply = await write(hand, command, saved.session.version, "handBack");
  return answer(hand, reply, "handBack");
}

async function passOn(hand: Hand): Promise<Acted> {
  const command = {
    operation: "handoff",
    to: "agent",
    scopes: hand.visit.me.scopes,
    note: textIn(hand.typed, "message"),
  } as const;
  const reply = await write(hand, command, null, "passOn");
  if (!reply.ok) return explain(hand, reply.failure);
  const { participantToken } = reply.value;
  return participantToken === null
    ? again(503, hand.reader.words.problems.busy)
    : { kind: "passed", token: participantToken };
}

const answer = (hand: Hand, reply: GatewayReply<WriteAnswer>, word: string): Acted =>
  reply.ok ? done(word) : explain(hand, reply.failure);

function explain({ reader }: Hand, failure: Failure): Acted {
  const { problems, errors } = reader.words;
  switch (failure.code) {
    case "invalid_fields":
    case "missing_fields": {
      const found = failure.problems
        .filter(({ field }) => field !== "")
        .map(({ field }) => [`f/${encodeURIComponent(field)}`, errors.check] as const);
      return again(422, problems.invalid, new Map(found));
    }
    case "invalid_request":
      return again(422, problems.invalid);
    case "precondition_failed":
    case "version_conflict":
      return again(409, problems.moved);
    case "illegal_transition":
      return again(409, problems.state);
    case "scope_denied":
      return again(403, failure.why === "own_work" ? problems.ownWork : problems.scope);
    case "too_large":
      return again(413, problems.tooLarge);
    case "rate_limited":
    case "busy":
    case "overloaded":
    case "internal": {
      const status = failure.code === "rate_limited" ? 429 : 503;
      return { ...again(status, problems.busy), later: failure };
    }
    default:
      return { kind: "refused", failure };
  }
}

const COMMENT = "comment/f/";

function commentsIn(typed: Texts): Record<string, string> {
  const names = [...typed.keys()].filter((name) => name.startsWith(COMMENT));
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = textIn(typed, name);
      const field = decodedUri(name.slice(COMMENT.length));
      return text === undefined || field === null ? [] : [[field, text]];
    }),
  );
}
