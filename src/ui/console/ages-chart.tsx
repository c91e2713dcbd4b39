/**
 * The chart of waiting times: one lane for each kind of wait, on a logarithmic scale from minutes to weeks.
 * The dots are the sessions that wait longest. The number at the lane counts all.
 */
import type { Overview, WaitSummary } from "../../gateway/owner-gateway";
import { Waiting } from "./list";
import { isWaitingLong } from "./session-sections";
import type { ConsoleReader } from "./reader";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const TICKS = [MINUTE_MS, HOUR_MS, DAY_MS, 7 * DAY_MS, 30 * DAY_MS];
const MAX_MS = 90 * DAY_MS;
/** Sessions that are listed with a link below the chart. */
const MAX_LISTED = 5;
/** Dots per lane. More would cover each other. */
export const MAX_DOTS = 12;

interface ChartProps {
  readonly overview: Overview;
  readonly now: number;
  readonly reader: ConsoleReader;
}

export function AgesChart({ overview: { waits }, now, reader }: ChartProps) {
  const { pictures, list, untitled } = reader.console;
  const longest = waits
    .flatMap((one) => one.longest)
    .toSorted((a, b) => sinceOf(a) - sinceOf(b))
    .slice(0, MAX_LISTED);
  return (
    <figure class="card">
      <figcaption>
        <h2>{pictures.ages}</h2>
      </figcaption>
      {waits.length === 0 ? (
        <p>{pictures.nothing}</p>
      ) : (
        <>
          <p class="meta">{pictures.agesText}</p>
          <div class="lanes">
            {waits.map((lane) => (
              <Lane lane={lane} now={now} reader={reader} />
            ))}
            <span></span>
            <svg class="chart" width="100%" height="18" aria-hidden="true">
              {TICKS.map((ms) => (
                <text
                  class="axis"
                  x={xOf(ms)}
                  y="12"
                  text-anchor={ms === MINUTE_MS ? "start" : "middle"}
                >
                  {shortDuration(ms)}
                </text>
              ))}
            </svg>
          </div>
          <h3>{pictures.longest}</h3>
          <ol class="longest">
            {longest.map((session) => (
              <li>
                <a href={`/console/sessions/${session.id}`} dir="auto">
                  {session.title ?? untitled}
                </a>{" "}
                <span class="meta">
                  {list.waits} <Waiting session={session} now={now} reader={reader} />
                </span>
              </li>
            ))}
          </ol>
        </>
      )}
    </figure>
  );
}

function Lane({
  lane,
  now,
  reader,
}: Omit<ChartProps, "overview"> & { readonly lane: WaitSummary }) {
  const ages = lane.longest.map((session) => now - sinceOf(session));
  const newest = lane.newestSince === null ? 0 : now - Date.parse(lane.newestSince);
  return (
    <>
      <span class="lane">
        {reader.console.waits[lane.for]} <b>{reader.format(lane.count)}</b>
      </span>
      <svg class="chart" width="100%" height="28" aria-hidden="true">
        {TICKS.map((ms) => (
          <line class="grid" x1={xOf(ms)} x2={xOf(ms)} y1="0" y2="28" />
        ))}
        <line class="range" x1={xOf(newest)} x2={xOf(Math.max(...ages, newest))} y1="14" y2="14" />
        {ages.map((ms) => (
          <circle class={isWaitingLong(ms) ? "dot long" : "dot"} cx={xOf(ms)} cy="14" r="5" />
        ))}
      </svg>
    </>
  );
}

const sinceOf = ({ waiting }: WaitSummary["longest"][number]): number =>
  waiting === null ? 0 : Date.parse(waiting.since);

/** The position on the logarithmic axis. */
function xOf(ms: number): string {
  const fraction = Math.log(Math.max(ms, MINUTE_MS) / MINUTE_MS) / Math.log(MAX_MS / MINUTE_MS);
  return `${Math.round((1 + 97 * Math.min(1, fraction)) * 100) / 100}%`;
}

const shortDuration = (ms: number): string => {
  if (ms < HOUR_MS) return `${ms / MINUTE_MS} min`;
  return ms < DAY_MS ? `${ms / HOUR_MS} h` : `${ms / DAY_MS} d`;
};
