/** Draws the log of the session as a timeline: actors, actions, times and pauses. */
import type { Terminal } from "./terminal.ts";
import type { ReportedEvent } from "./agent-messages.ts";

const QUIET = /^token\./;
/** A person resumes by opening a link, so that resume is not shown. */
const isShown = ({ type, actor }: ReportedEvent): boolean =>
  !QUIET.test(type) || (type === "token.accessed" && actor.kind === "agent");
const euro = (amount: unknown): string => `${Number(amount).toFixed(2)} €`;

interface Change {
  readonly field: string;
  readonly to?: unknown;
}

const changed = ({ field, to }: Change): string =>
  `${field} ${field === "total" ? euro(to) : String(to)}`;

const WORDS: Readonly<Record<string, (payload: ReportedEvent["payload"]) => string>> = {
  "session.created": () => "begins the session",
  "receipt.read": ({ what, amount }) => `reads ${String(what)}, ${euro(amount)}`,
  "fields.updated": ({ changes }) =>
    `sets ${(changes as readonly Change[]).map(changed).join(", ")}`,
  "token.accessed": () => "resumes with its token",
  "stop.reported": ({ reason }) =>
    reason === "completed" ? "reports that it is done" : `reports a stop: ${String(reason)}`,
  "resume.due": () => "says that the wait is over",
  "session.submitted": () => "submits for review",
  "handoff.link_issued": () => "makes a link for a person",
  "handoff.opened": () => "opens the link",
  "review.approved": () => "approves",
  "review.rejected": () => "rejects",
  "review.changes_requested": () => "asks for changes",
  "session.finalized": () => "finalizes",
};

const NAMES: Readonly<Record<string, string>> = { agent: "agent", system: "server" };
const nameOf = ({ actor }: ReportedEvent): string =>
  (NAMES[actor.kind] ?? actor.name ?? "person").slice(0, 8).padEnd(8);

const COLOURS = { agent: "cyan", human: "magenta", system: "yellow" } as const;

export async function drawTimeline(
  terminal: Terminal,
  events: readonly ReportedEvent[],
): Promise<void> {
  const startedAt = Date.parse(events[0]?.at ?? "");
  const shown = events.filter(isShown);
  const quiet = events.length - shown.length;
  for (const [index, event] of shown.entries()) {
    const seconds = ((Date.parse(event.at) - startedAt) / 1_000).toFixed(1).padStart(6);
    const colour = COLOURS[event.actor.kind as keyof typeof COLOURS] ?? "cyan";
    const mark = terminal.paint(colour, index === shown.length - 1 ? "◉" : "●");
    const words = WORDS[event.type]?.(event.payload) ?? event.type;
    const width = Math.max(8, terminal.width - 28);
    const text = words.length > width ? `${words.slice(0, width - 1)}…` : words;
    await terminal.pause(90);
    const seq = `#${event.seq}`.padStart(4);
    terminal.line(
      `  ${terminal.dim(seq)} ${terminal.dim(`${seconds} s`)} ${mark} ${terminal.paint(colour, nameOf(event))} ${text}`,
    );
  }
  terminal.note(
    `and ${quiet} entries about tokens: ${events.length} in all, numbered without a gap.`,
  );
}
