/**
 * The session as its log tells it, one state a commit. Written for the checker from the protocol's
 * words and knowing none of the product's code.
 */
import type { LoggedCommit, LoggedEvent, Shown } from "./history.ts";

export interface Folded extends Shown {
  readonly expiresAt: number;
}

interface Change {
  readonly field: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

const EMPTY: Folded = {
  state: "",
  version: 0,
  head: 0,
  paused: false,
  title: null,
  fields: {},
  expiresAt: 0,
};

/** The state after each commit, and what the log contradicts itself in. */
export function foldAll(commits: readonly LoggedCommit[]): {
  readonly states: readonly Folded[];
  readonly problems: readonly string[];
} {
  const states: Folded[] = [];
  const problems: string[] = [];
  let folded = EMPTY;
  for (const { events } of commits) {
    for (const event of events) folded = step(folded, event, problems);
    states.push(folded);
  }
  return { states, problems };
}

function step(before: Folded, event: LoggedEvent, problems: string[]): Folded {
  const { seq, type, state, version, payload } = event;
  const moved = version !== before.version;
  if (moved && version !== seq) problems.push(`event ${seq} says version ${version}`);
  if (!moved && state !== before.state) {
    problems.push(`event ${seq} leads to ${state} without moving the version`);
  }
  const after = { ...before, state, version, head: seq };
  switch (type) {
    case "session.created": {
      const document = payload["document"] as { fields?: Shown["fields"] } | undefined;
      const title = (payload["title"] ?? null) as string | null;
      const expiresAt = Date.parse(String(payload["expiresAt"]));
      return { ...after, title, expiresAt, fields: document?.fields ?? {} };
    }
    case "fields.updated":
      return { ...after, fields: changed(before.fields, seq, payload["changes"], problems) };
    case "session.updated":
      return "title" in payload ? { ...after, title: payload["title"] as string | null } : after;
    case "checkpoint.restored": {
      const { title, fields } = payload["document"] as Pick<Shown, "title" | "fields">;
      return { ...after, title, fields };
    }
    case "session.paused":
      return { ...after, paused: true };
    case "session.unpaused":
      return { ...after, paused: false };
    case "session.extended":
      return { ...after, expiresAt: Date.parse(String(payload["expiresAt"])) };
    default:
      return after;
  }
}

function changed(
  fields: Shown["fields"],
  seq: number,
  changes: unknown,
  problems: string[],
): Shown["fields"] {
  const next = new Map(Object.entries(fields));
  for (const { field, from, to } of changes as readonly Change[]) {
    if (JSON.stringify(next.get(field)) !== JSON.stringify(from)) {
      problems.push(`event ${seq} changes ${field} from what it was not`);
    }
    if (to === undefined) next.delete(field);
    else next.set(field, to);
  }
  return Object.fromEntries(next);
}

/** The same whatever the order of keys. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(
          Object.entries(part as Record<string, unknown>).sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      : part,
  );

/** What differs between two views of a session, or null. */
export function difference(shown: Shown, folded: Shown): string | null {
  for (const key of ["state", "version", "head", "paused", "title", "fields"] as const) {
    if (canonical(shown[key]) !== canonical(folded[key])) {
      return `${key} is ${canonical(shown[key])}, the log says ${canonical(folded[key])}`;
    }
  }
  return null;
}
