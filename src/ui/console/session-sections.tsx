/** The sections of a session's page: participants, jobs, stops and lineage. */
import type { Child } from "hono/jsx";
import type { LogEvent } from "../../domain/log/event";
import type { ParticipantView } from "../../domain/session/view";
import type { ConsoleLogin } from "../../gateway/console-sign-in";
import type { LineageEntry } from "../../gateway/lineage";
import { actorText } from "../text";
import { valueText } from "../value-text";
import { canPerform } from "./action-table";
import type { SessionDetails } from "./session-details";
import type { ConsoleReader } from "./reader";

export interface SectionProps {
  readonly details: SessionDetails;
  readonly reader: ConsoleReader;
}

export function Participants({
  details: { session },
  login,
  now,
  reader,
}: SectionProps & { readonly login: ConsoleLogin; readonly now: number }) {
  const words = reader.console.session;
  const status = (one: ParticipantView): string => {
    if (one.revoked) return words.isRevoked;
    if (hasExpired(one, now)) return words.isOver;
    return one.connected ? words.isConnected : words.isActive;
  };
  const canRevoke = canPerform("revoke", session, login.holder);
  return (
    <section id="people" class="card">
      <h2>{words.people}</h2>
      <ul class="items">
        {session.participants.map((one) => (
          <li>
            <b dir="auto">{actorText(one.actor, reader.words)}</b>{" "}
            <span class="chip">{status(one)}</span>
            <span class="meta">
              {one.id} · {one.scopes.map((scope) => reader.console.scopes[scope]).join(", ")} ·{" "}
              {words.until}{" "}
              {one.expiresAt === null ? (
                words.noEnd
              ) : (
                <time datetime={one.expiresAt}>{reader.time(one.expiresAt)}</time>
              )}
            </span>
            {canRevoke && !one.revoked && !hasExpired(one, now) && (
              <a href={`/console/sessions/${session.id}/revoke?participant=${one.id}`}>
                {reader.console.actions.revoke.name}
                <span class="visually-hidden"> {actorText(one.actor, reader.words)}</span>
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface CardProps {
  readonly id: string;
  readonly title: string;
  readonly isEmpty: boolean;
  readonly children?: Child;
}

/** Stays on the page while it is empty, so that an update can fill it. */
const Card = ({ id, title, isEmpty, children }: CardProps) =>
  isEmpty ? (
    <section id={id} class=""></section>
  ) : (
    <section id={id} class="card">
      <h2>{title}</h2>
      {children}
    </section>
  );

export function Jobs({ details: { jobs }, reader }: SectionProps) {
  const words = reader.console.session;
  return (
    <Card id="jobs" title={words.jobs} isEmpty={jobs.length === 0}>
      <ul class="items">
        {jobs.map((job) => (
          <li>
            <b>{job.agent}</b> <span class="chip">{job.status}</span>
            <span class="meta">
              {words.attempts(reader.format(job.attempts))} ·{" "}
              <time datetime={job.createdAt}>{reader.time(job.createdAt)}</time>
            </span>
            {job.summary !== undefined && <span dir="auto">{job.summary}</span>}
            {job.summary === undefined && job.result !== undefined && (
              <span class="value" dir="auto">
                {valueText(job.result, reader)}
              </span>
            )}
            {job.error !== undefined && <span class="long">{job.error.message}</span>}
          </li>
        ))}
      </ul>
    </Card>
  );
}

export function Stops({ details: { stops }, reader }: SectionProps) {
  return (
    <Card id="stops" title={reader.console.session.stops} isEmpty={stops.length === 0}>
      <ol class="items">
        {stops.toReversed().map((event) => (
          <li>
            <b>{stopText(event)}</b>
            <span class="meta">
              <time datetime={event.at}>{reader.time(event.at)}</time>
            </span>
            <span dir="auto">{stopReasonText(event, reader)}</span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

const stopText = ({ type, payload }: LogEvent): string =>
  type === "stop.reported" ? `${type}: ${String(payload["reason"])}` : type;

function stopReasonText({ payload }: LogEvent, reader: ConsoleReader): string {
  const { why, strategy, resumeAt } = (payload["decision"] ?? {}) as Record<string, unknown>;
  const at = typeof resumeAt === "string" ? reader.time(resumeAt) : null;
  const texts = [strategy, at, why ?? payload["reason"]];
  return texts.filter((text) => typeof text === "string" && text !== "").join(" · ");
}

interface GraphNodeProps {
  readonly entry: LineageEntry;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** The line from the root to the newest leaf, with the other children as branches. */
export function Lineage({ details: { lineage }, reader }: SectionProps) {
  const words = reader.console.session;
  const onLine = new Set(lineage.map(({ sessionId }) => sessionId));
  return (
    <Card id="lineage" title={words.lineage} isEmpty={lineage.length < 2}>
      <ol class="graph">
        {lineage.map((entry, nth) => {
          const isLast = nth === lineage.length - 1;
          return (
            <>
              <GraphNode entry={entry} isFirst={nth === 0} isLast={isLast} />
              {entry.children
                .filter((id) => !onLine.has(id))
                .map((id) => (
                  <li class="beside">
                    <Branch isLast={isLast} />
                    <a href={`/console/sessions/${id}`}>
                      <code>{id.slice(0, 16)}…</code>
                    </a>
                  </li>
                ))}
            </>
          );
        })}
      </ol>
    </Card>
  );

  function GraphNode({ entry, isFirst, isLast }: GraphNodeProps) {
    const states: Readonly<Record<string, string>> = reader.words.states;
    const name = entry.title ?? reader.console.untitled;
    return (
      <li>
        <svg width="24" height="48" aria-hidden="true">
          {!isFirst && <line class="edge" x1="12" x2="12" y1="0" y2="24" />}
          {!isLast && <line class="edge" x1="12" x2="12" y1="24" y2="48" />}
          <circle class={entry.current ? "node here" : "node"} cx="12" cy="24" r="7" />
        </svg>
        <span>
          {entry.current || entry.state === "gone" ? (
            <b dir="auto">{entry.state === "gone" ? words.gone : name}</b>
          ) : (
            <a href={`/console/sessions/${entry.sessionId}`} dir="auto">
              {name}
            </a>
          )}{" "}
          <span class="meta">
            {entry.current ? `${words.thisOne} · ` : ""}
            {states[entry.state] ?? ""}
            {entry.reason === null ? "" : ` · ${words.forked(entry.reason)}`}
          </span>
        </span>
      </li>
    );
  }
}

function Branch({ isLast }: { readonly isLast: boolean }) {
  return (
    <svg width="48" height="36" aria-hidden="true">
      {!isLast && <line class="edge" x1="12" x2="12" y1="0" y2="36" />}
      <path class="edge" d="M12 0 C12 18, 20 18, 30 18" fill="none" />
      <circle class="node" cx="36" cy="18" r="5" />
    </svg>
  );
}

/** Whether a participant or a link has expired. */
export const hasExpired = (
  { expiresAt }: Pick<ParticipantView, "expiresAt">,
  now: number,
): boolean => expiresAt !== null && now >= Date.parse(expiresAt);

/** After a day, a wait is shown as long. */
const LONG_WAIT_MS = 24 * 60 * 60 * 1000;

export const isWaitingLong = (ms: number): boolean => ms >= LONG_WAIT_MS;
