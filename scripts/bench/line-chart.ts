/** A line chart as SVG in the style of chart.ts: y over x, with one line per series, such as Baton and the floor. */
import { escaped, STYLE } from "./chart.ts";

interface Line {
  readonly label: string;
  /** True for the floor, the minimal Worker that Baton is compared with. */
  readonly isFloor?: boolean;
  readonly points: readonly (readonly [x: number, y: number])[];
}

interface Chart {
  readonly title: string;
  readonly description: string;
  readonly unit: string;
  readonly lines: readonly Line[];
}

const WIDTH = 760;
const HEIGHT = 300;
const LEFT = 70;
const RIGHT = 130;
const TOP = 46;
const BOTTOM = 40;
const STEPS = 4;

const MORE_STYLE = `
    .line { fill: none; stroke: #2f6fdb; stroke-width: 2.5; }
    .floor-line { fill: none; stroke: #9aa4af; stroke-width: 2.5; }
    .grid { stroke: #d0d7de; }
    @media (prefers-color-scheme: dark) {
      .line { stroke: #6ea8fe; }
      .floor-line { stroke: #6e7781; }
      .grid { stroke: #373e47; }
    }
  `;

const formatCoordinate = (value: number): string => value.toFixed(1);
const formatNumber = (value: number): string => Math.round(value).toLocaleString("en");

export function drawLines({ title, description, unit, lines }: Chart): string {
  const all = lines.flatMap(({ points }) => points);
  const maxX = Math.max(...all.map(([x]) => x));
  const maxY = Math.max(...all.map(([, y]) => y));
  const toX = (x: number): number => LEFT + (x / maxX) * (WIDTH - LEFT - RIGHT);
  const toY = (y: number): number => HEIGHT - BOTTOM - (y / maxY) * (HEIGHT - TOP - BOTTOM);
  const steps = Array.from({ length: STEPS + 1 }, (_, step) => step / STEPS);
  const grid = steps.map(
    (share) =>
      `  <line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${formatCoordinate(toY(share * maxY))}" y2="${formatCoordinate(toY(share * maxY))}" />
  <text class="small" x="${LEFT - 8}" y="${formatCoordinate(toY(share * maxY) + 4)}" text-anchor="end">${formatNumber(share * maxY)} ${unit}</text>
  <text class="small" x="${formatCoordinate(toX(share * maxX))}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${formatNumber(share * maxX)}</text>`,
  );
  const drawn = lines.map(({ label, isFloor, points }) => {
    const path = points
      .map(([x, y]) => `${formatCoordinate(toX(x))},${formatCoordinate(toY(y))}`)
      .join(" ");
    const [, lastY] = points.at(-1) ?? [0, 0];
    return `  <polyline class="${isFloor === true ? "floor-line" : "line"}" points="${path}" />
  <text x="${WIDTH - RIGHT + 8}" y="${formatCoordinate(toY(lastY) + 4)}">${escaped(label)} ${formatNumber(lastY)} ${unit}</text>`;
  });
  const textAlternative = lines
    .map(
      ({ label, points }) =>
        `${label}: ${points.map(([x, y]) => `${formatNumber(x)} ${formatNumber(y)}`).join(", ")}`,
    )
    .join("; ");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-labelledby="title description">
  <title id="title">${escaped(title)}</title>
  <desc id="description">${escaped(description)} ${escaped(textAlternative)}.</desc>
  <style>${STYLE}${MORE_STYLE}</style>
  <text class="title" x="0" y="20">${escaped(title)}</text>
${[...grid, ...drawn].join("\n")}
</svg>
`;
}
