/**
 * A recorded terminal as one SVG that plays once, without script. With reduced motion it shows the last
 * screen at once. Blocks and lines are drawn as shapes, so that fonts cannot break a QR code.
 */
import type { Piece } from "./cast.ts";

const CELL = { width: 8.4, height: 18 };
const PADDING = { x: 20, top: 44, bottom: 16 };
const BACK = "#10151d";
const FRONT = "#d7dde6";
const COLOURS: Readonly<Record<number, string>> = {
  31: "#ff8a80",
  32: "#8ce99a",
  33: "#ffd479",
  34: "#8ab4ff",
  35: "#e6a5ff",
  36: "#7fdbe8",
};
const SHAPES = /[█▀▄─]+/g;

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const round = (number: number): string => String(Math.round(number * 100) / 100);

export function drawTerminal(pieces: readonly Piece[], columns: number, rows: number): string {
  const width = columns * CELL.width + 2 * PADDING.x;
  const height = rows * CELL.height + PADDING.top + PADDING.bottom;
  const seconds = (pieces.at(-1)?.at ?? 0) + 1;
  const moments = Map.groupBy(pieces, ({ at }) => at);
  const groups = [...moments].map(
    ([at, group]) =>
      `<g class="p" style="animation-delay:${round(at)}s">${group.map(draw).join("")}</g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.round(width)} ${height}" width="${Math.round(width)}" height="${height}" role="img" aria-labelledby="t">
<title id="t">npm run demo, recorded: an agent is killed and resumes, is rate limited and waits, hands to a person, is approved</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:${FRONT}}
.b{font-weight:700}.d{opacity:.62}
.p{opacity:0;animation:show 1ms forwards}
.s{animation:scroll ${round(seconds)}s step-end forwards}
@keyframes show{to{opacity:1}}
@keyframes scroll{${scrolling(pieces, rows, seconds)}}
@media (prefers-reduced-motion:reduce){.p{opacity:1;animation:none}.s{animation:none;transform:translateY(${-lastOffset(pieces, rows)}px)}}
</style>
<rect width="100%" height="100%" rx="10" fill="${BACK}"/>
<g fill="#39424f"><circle cx="22" cy="20" r="6"/><circle cx="42" cy="20" r="6"/><circle cx="62" cy="20" r="6"/></g>
<svg x="${PADDING.x}" y="${PADDING.top}" width="${round(columns * CELL.width)}" height="${rows * CELL.height}">
<g class="s">
${groups.join("\n")}
</g>
</svg>
</svg>
`;
}

const offset = (row: number, rows: number): number => Math.max(0, row + 1 - rows) * CELL.height;

const lastOffset = (pieces: readonly Piece[], rows: number): number =>
  offset(Math.max(0, ...pieces.map(({ row }) => row)), rows);

/** The scroll position of the window at each moment it moves. */
function scrolling(pieces: readonly Piece[], rows: number, seconds: number): string {
  const stops: string[] = ["0%{transform:none}"];
  let current = 0;
  for (const { row, at } of pieces) {
    const next = offset(row, rows);
    if (next <= current) continue;
    current = next;
    stops.push(`${((100 * at) / seconds).toFixed(3)}%{transform:translateY(${-next}px)}`);
  }
  return [...stops, `100%{transform:translateY(${-current}px)}`].join("");
}

function draw({ row, column, text, isBold, isDim, colour }: Piece): string {
  const fill =
    colour === null
      ? ""
      : ` fill="${COLOURS[colour] ?? FRONT}" style="fill:${COLOURS[colour] ?? FRONT}"`;
  const names = [...(isBold ? ["b"] : []), ...(isDim ? ["d"] : [])].join(" ");
  const style = names === "" ? "" : ` class="${names}"`;
  const drawn: string[] = [];
  const words = (from: number, part: string): void => {
    if (part.trim() === "") return;
    const lead = part.length - part.trimStart().length;
    const x = round((column + from + lead) * CELL.width);
    const word = part.trim();
    const length = round(word.length * CELL.width);
    drawn.push(
      `<text x="${x}" y="${row * CELL.height + 13}" textLength="${length}"${style}${fill}>${escape(word)}</text>`,
    );
  };
  let from = 0;
  for (const found of text.matchAll(SHAPES)) {
    words(from, text.slice(from, found.index));
    drawn.push(shapes(found[0], column + found.index, row, isDim));
    from = found.index + found[0].length;
  }
  words(from, text.slice(from));
  return drawn.join("");
}

/** Runs of equal characters, each as one rectangle a little larger than its cells: no seams. */
function shapes(text: string, column: number, row: number, isDim: boolean): string {
  return [...text.matchAll(/(.)\1*/g)]
    .map(({ 0: run, index }) => {
      const half = CELL.height / 2;
      const [top, height] =
        run[0] === "█"
          ? [0, CELL.height]
          : run[0] === "▀"
            ? [0, half]
            : run[0] === "▄"
              ? [half, half]
              : [half, 1];
      const seam = run[0] === "─" ? 0 : 0.4;
      return `<rect x="${round((column + index) * CELL.width)}" y="${row * CELL.height + top}" width="${round(run.length * CELL.width + seam)}" height="${round(height + seam)}" fill="${FRONT}"${isDim ? ' opacity=".35"' : ""}/>`;
    })
    .join("");
}

const PHONE = { width: 260, gap: 24, caption: 34 };

interface Picture {
  readonly png: Buffer;
  readonly caption: string;
}

/** Pictures side by side in one self-contained file. */
export function drawPictures(title: string, pictures: readonly Picture[]): string {
  const heights = pictures.map(
    ({ png }) => (PHONE.width * png.readUInt32BE(20)) / png.readUInt32BE(16),
  );
  const width = pictures.length * (PHONE.width + PHONE.gap) + PHONE.gap;
  const height = Math.round(Math.max(...heights)) + PHONE.caption + 2 * PHONE.gap;
  const drawn = pictures.map(({ png, caption }, index) => {
    const x = PHONE.gap + index * (PHONE.width + PHONE.gap);
    const y = PHONE.gap + PHONE.caption;
    const size = `x="${x}" y="${y}" width="${PHONE.width}" height="${round(heights[index] ?? 0)}"`;
    return `<text x="${x}" y="${PHONE.gap + 14}">${escape(caption)}</text>
<image ${size} href="data:image/png;base64,${png.toString("base64")}"/>
<rect ${size} fill="none" stroke="#39424f" rx="4"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="t">
<title id="t">${escape(title)}</title>
<style>text{font:600 15px system-ui,sans-serif;fill:${FRONT}}</style>
<rect width="100%" height="100%" rx="10" fill="${BACK}"/>
${drawn.join("\n")}
</svg>
`;
}
