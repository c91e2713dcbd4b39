/**
 * Client events: which ones may be appended, and how they reach the log. The Worker checks and
 * encodes them. The object only adds its own members to each payload.
 */
import type { AppendedEvent } from "../session/command";
import { EVENT_TYPE_PATTERN, isServerType } from "./event";
import { invalid, tooLarge, type Failure } from "../failure";
import { exceedsUtf8Bytes } from "../json";
import { LIMITS } from "../limits";
import { participantIn, type EventAuthor } from "./commit";
import type { Session } from "../session/session";

/** Encoded events on their way to the log. Types and JSON texts contain no line feeds. */
export interface EventBatch {
  readonly count: number;
  /** One type per line. */
  readonly types: string;
  /** One JSON text per line. */
  readonly payloads: string;
  /** Why none of them may be appended. Reported only to callers that may append. */
  readonly problem: Failure | null;
}

export function encodeBatch(events: readonly AppendedEvent[]): EventBatch {
  const payloads: string[] = [];
  const types: string[] = [];
  for (const { type, payload } of events) {
    const index = types.length;
    const text = JSON.stringify(payload);
    // Most events of a batch have the type of the previous one.
    const problem =
      (type === types[index - 1] ? null : typeProblem(type, index)) ?? payloadProblem(text, index);
    if (problem !== null) return { count: 0, types: "", payloads: "", problem };
    types.push(type);
    payloads.push(text);
  }
  const count = events.length;
  return { count, types: types.join("\n"), payloads: payloads.join("\n"), problem: null };
}

function typeProblem(type: string, index: number): Failure | null {
  const at = `events[${index}].type`;
  if (type.length > LIMITS.eventTypeLength || !EVENT_TYPE_PATTERN.test(type)) {
    return invalid(
      `the type must be a namespaced name such as "agent.progress", at most ${LIMITS.eventTypeLength} characters`,
      at,
    );
  }
  return isServerType(type)
    ? invalid(`types in the namespace of "${type}" are written by the server only`, at)
    : null;
}

const payloadProblem = (payload: string, index: number): Failure | null =>
  exceedsUtf8Bytes(payload, LIMITS.eventBytes)
    ? tooLarge(`events[${index}].payload, in bytes`, LIMITS.eventBytes)
    : null;

/** Writes the same lines as `encodeEvents` for the same events. */
export function numberBatch(
  { types, payloads }: EventBatch,
  { state, version }: Pick<Session, "state" | "version">,
  head: number,
  author: EventAuthor,
  at: string,
): string {
  const middle = `","at":"${at}","actor":${JSON.stringify(author.actor)},"participant":${JSON.stringify(participantIn(author))},"state":"${state}","version":${version},"payload":`;
  const names = types.split("\n");
  let seq = head;
  let lines = "";
  for (const payload of payloads.split("\n")) {
    const name = names[seq - head] ?? "";
    seq += 1;
    lines += `${lines === "" ? "" : "\n"}{"seq":${seq},"type":"${name}${middle}${payload}}`;
  }
  return lines;
}
