/**
 * What a person's form asks for, done. A save is repeated against the newest version as long as
 * nobody else touched the same fields; where somebody did, the person chooses. Nothing typed is lost:
 * whatever is refused comes back with it.
 */
import type { Command } from "../domain/session/command";
import type { Failure } from "../domain/failure";
import type { Json } from "../domain/json";
import { LIMITS } from "../domain/limits";
import type { SessionView } from "../domain/session/view";
import type { Gateway, GatewayReply } from "../gateway/gateway";
import type { WriteAnswer } from "../gateway/write-answer";
import type { Presented } from "../gateway/presented";
import type { FieldSpec } from "./fields";
import { baseIn, changesIn, type Typed } from "./form-data";
import type { Visit } from "./visit";
import { PROBLEMS } from "./words";

export type Acted =
  | { readonly kind: "done"; readonly word: string }
  | { readonly kind: "passed"; readonly token: string }
  /** Shown again, with everything typed. */
  | {
      readonly kind: "again";
      readonly status: number;
      readonly problem: string;
      readonly errors: ReadonlyMap<string, string>;
      readonly conflicts: ReadonlySet<string>;
    }
  | { readonly kind: "refused"; readonly failure: Failure };

interface Hand {
  readonly gateway: Gateway;
  readonly presented: Presented;
  readonly visit: Visit;
  readonly typed: Typed;
}

const ATTEMPTS = 3;

export async function act(hand: Hand, action: string): Promise<Acted> {
  const { typed } = hand;
  switch (action) {
    case "save": {
      const saved = await save(hand);
      return "kind" in saved ? saved : done(saved.changed ? "saved" : "unchanged");
    }
    case "submit":
      return answerAll(hand);
    case "decline":
      return decide(hand, { operation: "decline", reason: textIn(typed, "declining") });
    case "handBack":
      return handBack(hand);
    case "passOn":
      return passOn(hand);
    case "approve":
      return decide(hand, { operation: "approve", comment: textIn(typed, "comment") });
    case "reject":
      return decide(hand, { operation: "reject", reason: textIn(typed, "reason") });
    case "requestChanges":
      return decide(hand, {
        operation: "requestChanges",
        comment: textIn(typed, "comment"),
        fields: commentsIn(hand.visit.specs, typed),
      });
    default:
      return again(400, PROBLEMS.busy);
  }
}

const done = (word: string): Acted => ({ kind: "done", word });

const again = (
  status: number,
  problem: string,
  errors: ReadonlyMap<string, string> = new Map(),
  conflicts: ReadonlySet<string> = new Set(),
): Acted => ({ kind: "again", status, problem, errors, conflicts });

/** The one-use key of the form; each step of one press has a name of its own under it. */
const keyOf = (typed: Typed, step: string): string =>
  `${(typed.get("key") ?? crypto.randomUUID()).slice(0, 64)}.${step}`;

interface Saved {
  readonly session: SessionView;
  readonly changed: boolean;
}

async function save(
  { gateway, presented, visit, typed }: Hand,
  answers = false,
): Promise<Acted | Saved> {
  let { session } = visit;
  const base = baseIn(typed);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { fields, conflicts } = changesIn(visit.specs, typed, base, session.fields);
    if (conflicts.length > 0) return again(409, PROBLEMS.moved, new Map(), new Set(conflicts));
    if (Object.keys(fields).length === 0 && !answers) return { session, changed: false };
    const reply = await gateway.write(
      presented,
      {
        operation: "setFields",
        fields: fields as Record<string, Json>,
        ...(answers ? { answers } : {}),
      },
      { ifMatch: session.version, idempotencyKey: keyOf(typed, answers ? "answer" : "save") },
    );
    if (reply.ok) return { session: reply.value.shown.view, changed: true };
    const { current } = reply;
    if (!isMoved(reply.failure) || current === undefined || !("fields" in current)) {
      return explain(reply.failure);
    }
    session = current;
  }
  return again(409, PROBLEMS.moved);
}

const isMoved = ({ code }: Failure): boolean =>
  code === "precondition_failed" || code === "version_conflict";

/**
 * The person's whole answer. It submits the session where it was not only a part of it that was asked
 * for, and where nothing else is missing; otherwise whoever asked goes on with the answer.
 */
async function answerAll(hand: Hand): Promise<Acted> {
  if (hand.visit.isRequest) return answerOnly(hand);
  const acted = await thenWrite(hand, { operation: "submit" });
  if (acted.kind !== "again" || acted.status !== 422) return acted;
  const asked = new Set(hand.visit.specs.map(({ key }) => key));
  const isTheirs = [...acted.errors.keys()].some((field) => asked.has(field) || field === "");
  return isTheirs ? acted : answerOnly(hand);
}

async function answerOnly(hand: Hand): Promise<Acted> {
  const saved = await save(hand, true);
  return "kind" in saved ? saved : done("answered");
}

/** What was typed is saved first; then the press itself. */
async function thenWrite(hand: Hand, command: Command): Promise<Acted> {
  // Who submits answers for the whole: if it is not what they saw, they look first.
  const seen = Number(hand.typed.get("version"));
  if (seen !== hand.visit.session.version && !isRepeated(hand, command)) {
    const saved = await save(hand);
    return "kind" in saved ? saved : again(409, PROBLEMS.moved);
  }
  const saved = await save(hand);
  if ("kind" in saved) return saved;
  const reply = await hand.gateway.write(hand.presented, command, {
    ifMatch: saved.session.version,
    idempotencyKey: keyOf(hand.typed, command.operation),
  });
  return answer(reply, command.operation);
}

/** A double tap: the first one has already moved it on. */
const isRepeated = ({ visit }: Hand, { operation }: Command): boolean =>
  operation === "submit" &&
  (visit.session.state === "submitted" || visit.session.state === "needs_review");

async function decide(hand: Hand, command: Command): Promise<Acted> {
  const version = Number(hand.typed.get("version"));
  if (!Number.isSafeInteger(version)) return again(400, PROBLEMS.busy);
  const reply = await hand.gateway.write(hand.presented, command, {
    ifMatch: version,
    idempotencyKey: keyOf(hand.typed, command.operation),
  });
  return answer(reply, command.operation);
}

async function handBack(hand: Hand): Promise<Acted> {
  const saved = await save(hand);
  if ("kind" in saved) return saved;
  const message = textIn(hand.typed, "message");
  const payload = message === undefined ? {} : { message };
  const events = [{ type: "person.handed_back", payload }];
  const reply = await hand.gateway.append(hand.presented, events, null, {
    ifMatch: null,
    idempotencyKey: keyOf(hand.typed, "handBack"),
  });
  return reply.ok ? done("handBack") : explain(reply.failure);
}

async function passOn({ gateway, presented, visit, typed }: Hand): Promise<Acted> {
  const command = {
    operation: "handoff",
    to: "agent",
    scopes: visit.me.scopes,
    note: textIn(typed, "message"),
  } as const;
  const options = { ifMatch: null, idempotencyKey: keyOf(typed, "passOn") };
  const reply = await gateway.write(presented, command, options);
  if (!reply.ok) return explain(reply.failure);
  const { participantToken } = reply.value;
  return participantToken === null
    ? again(503, PROBLEMS.busy)
    : { kind: "passed", token: participantToken };
}

const answer = (reply: GatewayReply<WriteAnswer>, word: string): Acted =>
  reply.ok ? done(word) : explain(reply.failure);

function explain(failure: Failure): Acted {
  switch (failure.code) {
    case "invalid_fields":
    case "missing_fields": {
      const errors = new Map(failure.problems.map(({ field, message }) => [field, message]));
      const isMissing = failure.code === "missing_fields";
      return again(422, isMissing ? PROBLEMS.missing : PROBLEMS.invalid, errors);
    }
    case "precondition_failed":
    case "version_conflict":
      return again(409, PROBLEMS.moved);
    case "illegal_transition":
      return again(409, PROBLEMS.state);
    case "scope_denied":
      return again(403, failure.why === "own_work" ? PROBLEMS.ownWork : PROBLEMS.scope);
    case "too_large":
      return again(413, PROBLEMS.tooLarge);
    case "busy":
    case "overloaded":
    case "internal":
      return again(503, PROBLEMS.busy);
    default:
      return { kind: "refused", failure };
  }
}

function textIn(typed: Typed, name: string): string | undefined {
  const text = typed.get(name)?.trim().slice(0, LIMITS.textLength) ?? "";
  return text === "" ? undefined : text;
}

const commentsIn = (specs: readonly FieldSpec[], typed: Typed): Record<string, string> =>
  Object.fromEntries(
    specs.flatMap(({ key, name }) => {
      const text = textIn(typed, `comment/${name}`);
      return text === undefined ? [] : [[key, text] as const];
    }),
  );
