/** Helpers for SVG pictures that are readable in light and dark mode and have a text alternative. */
import { escapeHtml } from "./escape-html.ts";

const STYLE = `text{font:15px system-ui,sans-serif;fill:#1b1f24}.dim{font-size:13px;fill:#57606a}.strong{font-weight:600}
.mono{font:13px ui-monospace,"DejaVu Sans Mono",monospace}.box{fill:#f6f8fa;stroke:#8c959f}.core{fill:#ddf4ff;stroke:#0550ae;stroke-width:2}
.frame{fill:none;stroke:#8c959f;stroke-dasharray:6 4}.line{fill:none;stroke:#1b1f24;stroke-width:1.5}.dotted{fill:none;stroke:#57606a;stroke-dasharray:3 4;stroke-width:1.5}
.head{fill:#1b1f24}.rule{stroke:#d0d7de}.agent{fill:#0550ae}.other{fill:#7a3e00}.human{fill:#116329}.system{fill:#57606a}.band{fill:#eef1f4}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.dim{fill:#9da7b1}.box{fill:#161b22;stroke:#6e7681}.core{fill:#0c2d4d;stroke:#79c0ff}
.frame{stroke:#6e7681}.line{stroke:#e6edf3}.dotted{stroke:#9da7b1}.head{fill:#e6edf3}.rule{stroke:#30363d}.agent{fill:#79c0ff}.other{fill:#ffb77c}.human{fill:#6cd485}.system{fill:#9da7b1}.band{fill:#1c2129}}`;

export interface Picture {
  readonly title: string;
  readonly description: string;
  readonly width: number;
  readonly height: number;
  readonly parts: readonly string[];
}

export const toSvg = ({ title, description, width, height, parts }: Picture): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="t d">
<title id="t">${escapeHtml(title)}</title>
<desc id="d">${escapeHtml(description)}</desc>
<style>${STYLE}</style>
${parts.join("\n")}
</svg>
`;

export const text = (
  x: number,
  y: number,
  words: string,
  {
    className = "",
    anchor = "start",
  }: { className?: string; anchor?: "start" | "middle" | "end" } = {},
): string =>
  `<text x="${x}" y="${y}"${className === "" ? "" : ` class="${className}"`}${anchor === "start" ? "" : ` text-anchor="${anchor}"`}>${escapeHtml(words)}</text>`;

/** A box with its name and a description below. */
export const box = (
  [x, y, width, height]: readonly [number, number, number, number],
  [name = "", ...lines]: readonly string[],
  className = "box",
): string => {
  const middle = x + width / 2;
  const top = y + height / 2 - (lines.length * 18) / 2 + 5;
  return [
    `<rect class="${className}" x="${x}" y="${y}" width="${width}" height="${height}" rx="8"/>`,
    text(middle, top, name, { className: "strong", anchor: "middle" }),
    ...lines.map((line, index) =>
      text(middle, top + 18 * (index + 1), line, { className: "dim", anchor: "middle" }),
    ),
  ].join("");
};

export const frame = (
  [x, y, width, height]: readonly [number, number, number, number],
  name: string,
): string =>
  `<rect class="frame" x="${x}" y="${y}" width="${width}" height="${height}" rx="10"/>${text(x + width - 12, y + 20, name, { className: "dim", anchor: "end" })}`;

/** An arrow along straight lines, with its head at the last point. */
export function arrow(points: readonly (readonly [number, number])[], className = "line"): string {
  const [[bx, by], [ax, ay]] = [points.at(-1) ?? [0, 0], points.at(-2) ?? [0, 0]];
  const length = Math.hypot(bx - ax, by - ay);
  const [ux, uy] = [(bx - ax) / length, (by - ay) / length];
  const [cx, cy] = [bx - ux * 10, by - uy * 10];
  const line = points
    .slice(0, -1)
    .map(([x, y]) => `${x} ${y}`)
    .concat(`${round(cx)} ${round(cy)}`)
    .join(" L");
  return `<path class="${className}" d="M${line}"/><path class="head" d="M${bx} ${by} L${round(cx - uy * 5)} ${round(cy + ux * 5)} L${round(cx + uy * 5)} ${round(cy - ux * 5)} z"/>`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
