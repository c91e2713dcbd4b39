/**
 * The chart of sessions by state over time: a column for each point in time, with a part for each group of
 * states. Widths are in percent, so the chart fits every screen without scaling its text.
 */
import type { State } from "../../domain/session/state";
import type { Overview } from "../../gateway/owner-gateway";
import { hrefOf, type ListParams } from "./list-params";
import type { ConsoleReader } from "./reader";

const HOUR_MS = 60 * 60 * 1000;
const SPANS = {
  day: { points: 24, stepMs: HOUR_MS },
  month: { points: 30, stepMs: 24 * HOUR_MS },
} as const;

/** The points in time of a span. The last one is now. */
export function timesOf(span: ListParams["span"], now: number): readonly number[] {
  const { points, stepMs } = SPANS[span];
  return Array.from({ length: points }, (_, nth) => now - (points - 1 - nth) * stepMs);
}

/** Groups, because eleven states are too many colors. The bottom of the column is first. */
const GROUPS = {
  working: ["draft", "in_progress"],
  asking: ["awaiting_input", "awaiting_upload", "needs_review"],
  handedIn: ["submitted", "approved"],
  finished: ["finalized"],
  ended: ["rejected", "cancelled", "expired"],
} as const satisfies Readonly<Record<string, readonly State[]>>;
type Group = keyof typeof GROUPS;
const GROUP_NAMES = Object.keys(GROUPS) as readonly Group[];

const HEIGHT = 190;
const TOP = 8;
const LEFT_PERCENT = 8;

interface ChartProps {
  readonly overview: Overview;
  readonly params: ListParams;
  readonly reader: ConsoleReader;
}

export function StatesChart({ overview, params, reader }: ChartProps) {
  const { pictures, lives } = reader.console;
  const columns = overview.states.map(({ at, states }) => ({
    at,
    counts: GROUP_NAMES.map((name) => sum(GROUPS[name].map((state) => states[state] ?? 0))),
  }));
  const totals = columns.map(({ counts }) => sum(counts));
  const max = niceMaximum(Math.max(1, ...totals));
  const [first = 0] = totals;
  const last = columns.at(-1)?.counts ?? [];
  const description = pictures.statesText(reader.format(first), reader.format(totals.at(-1) ?? 0));
  return (
    <figure class="card">
      <figcaption>
        <h2>{pictures.states}</h2>
        <span class="spans">
          {(["day", "month"] as const).map((span) => (
            <a
              href={hrefOf(params, { span: span === "day" ? null : span })}
              {...(span === params.span ? { "aria-current": "true" as const } : {})}
            >
              {lives[span]}
            </a>
          ))}
        </span>
      </figcaption>
      <svg
        class="chart"
        width="100%"
        height={HEIGHT + TOP + 22}
        role="img"
        aria-label={description}
      >
        {[0, max / 2, max].map((value) => (
          <>
            <line
              class="grid"
              x1={`${LEFT_PERCENT}%`}
              x2="100%"
              y1={yOf(value, max)}
              y2={yOf(value, max)}
            />
            <text class="axis" x={`${LEFT_PERCENT - 1}%`} y={yOf(value, max) + 4} text-anchor="end">
              {compact(value)}
            </text>
          </>
        ))}
        {columns.map(({ counts }, nth) => (
          <Column counts={counts} most={max} nth={nth} of={columns.length} />
        ))}
        <text class="axis" x={`${LEFT_PERCENT}%`} y={HEIGHT + TOP + 18}>
          {lives[params.span]}
        </text>
        <text class="axis" x="100%" y={HEIGHT + TOP + 18} text-anchor="end">
          {pictures.now}
        </text>
      </svg>
      <ul class="legend">
        {GROUP_NAMES.map((name, nth) => (
          <li>
            <svg width="12" height="12" aria-hidden="true">
              <rect class={name} width="12" height="12" rx="2" />
            </svg>
            {pictures[name]} <b>{reader.format(last[nth] ?? 0)}</b>
          </li>
        ))}
      </ul>
    </figure>
  );
}

interface ColumnProps extends Readonly<Record<"most" | "nth" | "of", number>> {
  readonly counts: readonly number[];
}

function Column({ counts, most: max, nth, of }: ColumnProps) {
  const width = (100 - LEFT_PERCENT) / of;
  const x = LEFT_PERCENT + nth * width;
  let below = 0;
  return (
    <>
      {counts.map((count, group) => {
        const bottom = yOf(below, max);
        below += count;
        const top = yOf(below, max);
        return count === 0 ? null : (
          <rect
            class={GROUP_NAMES[group]}
            x={percent(x + width * 0.1)}
            width={percent(width * 0.8)}
            y={top}
            height={Math.max(1, bottom - top)}
          />
        );
      })}
    </>
  );
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const percent = (value: number): string => `${Math.round(value * 100) / 100}%`;
const yOf = (value: number, max: number): number =>
  Math.round((TOP + HEIGHT * (1 - value / max)) * 10) / 10;

/** The next number that reads well on an axis. */
function niceMaximum(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [2, 4, 6, 8, 10].find((one) => one * power >= value) ?? 10;
  return step * power;
}

const compact = (value: number): string =>
  value >= 1000 ? `${Math.round(value / 100) / 10}k` : String(value);
