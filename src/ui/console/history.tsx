/** The log as a chart, with a lane for each actor and a dot for each event, and as sentences below it. */
import type { LogEvent } from "../../domain/log/event";
import { participantName, actorText } from "../text";
import { eventDetail } from "../timeline";
import { titleOf } from "../page-view";
import { LinkButton } from "./frame";
import type { SectionProps } from "./session-sections";

/** Actors beyond this number have no lane. */
const MAX_LANES = 8;
const LANE_HEIGHT = 26;

export function History({ details, reader }: SectionProps) {
  const { session, events, after } = details;
  const words = reader.console.session;
  const path = `/console/sessions/${session.id}`;
  const isNewest = (events.at(-1)?.seq ?? session.head) >= session.head;
  return (
    <section id="timeline" class="card">
      <h2>{words.timeline}</h2>
      <p class="meta">{words.timelineText(reader.format(events.length))}</p>
      <Lanes details={details} reader={reader} />
      <ol class="timeline" reversed>
        {events.toReversed().map((event) => (
          <EventSentence event={event} details={details} reader={reader} />
        ))}
      </ol>
      <p class="pages">
        {!isNewest && <LinkButton href={`${path}#timeline`} text={words.newestEvents} />}
        {after > 0 && <LinkButton href={`${path}?before=${after}#timeline`} text={words.earlier} />}
      </p>
    </section>
  );
}

function EventSentence({ event, details, reader }: SectionProps & { readonly event: LogEvent }) {
  const eventTexts: Readonly<Record<string, string>> = {
    ...reader.console.events,
    ...reader.words.events,
  };
  const labelOf = (field: string): string => titleOf(details.session.schema, field);
  const nameOf = (id: unknown): string =>
    participantName(details.session, String(id), reader.words);
  const { type, payload } = event;
  // The participant of the token, not the actor of the event.
  const who = type.startsWith("token.")
    ? nameOf(payload["participant"])
    : actorText(event.actor, reader.words);
  const revoked = type === "handoff.revoked" ? payload["participants"] : null;
  const detail = Array.isArray(revoked)
    ? revoked.map(nameOf).join(", ")
    : eventDetail(event, { labelOf });
  return (
    <li data-seq={String(event.seq)}>
      <time datetime={event.at}>{reader.time(event.at)}</time>
      <span>
        <b dir="auto">{who}</b> {eventTexts[type] ?? <code>{type}</code>}
        {/* The colon has the direction of the sentence, not of the detail. */}
        {detail !== "" && (
          <>
            {": "}
            <span dir="auto">{detail}</span>
          </>
        )}
      </span>
    </li>
  );
}

function Lanes({ details: { events }, reader }: SectionProps) {
  const names = events.map(({ actor }) => actorText(actor, reader.words));
  const lanes = [...new Set(names)].slice(0, MAX_LANES);
  const times = events.map(({ at }) => Date.parse(at));
  const [first = 0, last = first] = [times[0], times.at(-1)];
  // Mostly by time and partly by order, so that events close in time stay apart.
  const x = (nth: number): string => {
    const byOrder = nth / Math.max(1, events.length - 1);
    const byTime = last === first ? byOrder : ((times[nth] ?? first) - first) / (last - first);
    return `${Math.round((1 + 98 * (byTime * 0.7 + byOrder * 0.3)) * 100) / 100}%`;
  };
  return (
    <div class="strip" aria-hidden="true">
      <div class="strip-names">
        {lanes.map((name) => (
          <span dir="auto">{name}</span>
        ))}
      </div>
      <svg class="chart" width="100%" height={lanes.length * LANE_HEIGHT}>
        {lanes.map((_, lane) => (
          <line class="grid" x1="0" x2="100%" y1={yOf(lane)} y2={yOf(lane)} />
        ))}
        {events.map((event, nth) => {
          const lane = lanes.indexOf(names[nth] ?? "");
          return lane < 0 ? null : (
            <circle class={`event ${colorClass(event.type)}`} cx={x(nth)} cy={yOf(lane)} r="4.5">
              <title>{`${event.seq} ${event.type}`}</title>
            </circle>
          );
        })}
      </svg>
    </div>
  );
}

const yOf = (lane: number): number => lane * LANE_HEIGHT + LANE_HEIGHT / 2;

/** The CSS class with the event's color. */
function colorClass(type: string): string {
  const [space = ""] = type.split(".");
  if (space === "fields" || space === "upload") return "filled";
  if (space === "review" || space === "handoff" || space === "owner") return "passed";
  if (space === "stop" || space === "resume") return "stopped";
  return space === "job" ? "job" : "other";
}
