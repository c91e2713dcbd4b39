/** Bar charts as SVG. They follow the reader's light or dark mode and have a text alternative. */

export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly text: string;
  /** Drawn as a line through the end of the bar: the spread of the rounds. */
  readonly low?: number;
  readonly high?: number;
  /** The target, drawn as a tick. */
  readonly target?: number;
  /** The reference is drawn paler. */
  readonly isFloor?: boolean;
}

interface Chart {
  readonly title: string;
  readonly description: string;
  readonly bars: readonly Bar[];
  /** A labelled line across all bars. */
  readonly reference?: { readonly value: number; readonly label: string };
}

const WIDTH = 760;
const LABELS = 220;
const VALUES = 130;
const ROW = 26;
const TOP = 56;
const BOTTOM = 14;

export const STYLE = `
    text { font: 13px system-ui, sans-serif; fill: #1f2328; }
    .title { font-size: 15px; font-weight: 600; }
    .small { font-size: 11px; }
    .bar { fill: #2f6fdb; }
    .floor { fill: #9aa4af; }
    .spread { stroke: #1f2328; stroke-width: 1.5; }
    .target { stroke: #b35900; stroke-width: 3; }
    .reference { stroke: #59636e; stroke-dasharray: 3 3; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .bar { fill: #6ea8fe; }
      .floor { fill: #6e7781; }
      .spread { stroke: #e6edf3; }
      .target { stroke: #f0a860; }
      .reference { stroke: #9198a1; }
    }
  `;

export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const at = (number: number): string => number.toFixed(1);

export function drawBars({ title, description, bars, reference }: Chart): string {
  const max = Math.max(
    ...bars.flatMap(({ value, high, target }) => [value, high ?? 0, target ?? 0]),
    reference?.value ?? 0,
  );
  const x = (value: number): number => LABELS + (value / max) * (WIDTH - LABELS - VALUES);
  const height = TOP + bars.length * ROW + BOTTOM;
  const svgBars = bars.map((bar, index) => drawBar(bar, TOP + index * ROW, x));
  const line =
    reference === undefined
      ? ""
      : `
  <line class="reference" x1="${at(x(reference.value))}" x2="${at(x(reference.value))}" y1="${TOP - 8}" y2="${height - BOTTOM}" />
  <text class="small" x="${at(x(reference.value))}" y="${TOP - 13}" text-anchor="middle">${escaped(reference.label)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title description">
  <title id="title">${escaped(title)}</title>
  <desc id="description">${escaped(description)} ${escaped(bars.map(inWords).join("; "))}.</desc>
  <style>${STYLE}</style>
  <text class="title" x="0" y="20">${escaped(title)}</text>${line}
${svgBars.join("\n")}
</svg>
`;
}

const inWords = ({ label, text, target }: Bar): string =>
  `${label}: ${text}${target === undefined ? "" : `, target ${target}`}`;

function drawBar(bar: Bar, top: number, x: (value: number) => number): string {
  const middle = top + ROW / 2;
  const width = Math.max(x(bar.value) - LABELS, 1);
  const parts = [
    `<text x="${LABELS - 8}" y="${middle + 4}" text-anchor="end">${escaped(bar.label)}</text>`,
    `<rect class="${bar.isFloor === true ? "floor" : "bar"}" x="${LABELS}" y="${top + 5}" width="${at(width)}" height="${ROW - 10}" rx="2" />`,
  ];
  if (bar.low !== undefined && bar.high !== undefined) {
    parts.push(
      `<line class="spread" x1="${at(x(bar.low))}" x2="${at(x(bar.high))}" y1="${middle}" y2="${middle}" />`,
    );
  }
  if (bar.target !== undefined) {
    const to = at(x(bar.target));
    parts.push(
      `<line class="target" x1="${to}" x2="${to}" y1="${top + 3}" y2="${top + ROW - 3}" />`,
    );
  }
  const end = Math.max(x(bar.value), x(bar.high ?? 0), x(bar.target ?? 0));
  parts.push(`<text x="${at(end + 8)}" y="${middle + 4}">${escaped(bar.text)}</text>`);
  return parts.map((part) => `  ${part}`).join("\n");
}
