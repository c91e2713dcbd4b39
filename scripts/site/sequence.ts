/**
 * The sequence diagrams of the documents (the part of Mermaid's notation that they use) as SVG inside
 * the page, styled by its stylesheet, with a text version below it.
 */
import { escapeHtml } from "./escape-html.ts";

interface Step {
  readonly kind: "message" | "note";
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly isDashed: boolean;
  readonly isLost: boolean;
}

interface Sequence {
  readonly names: readonly string[];
  readonly steps: readonly Step[];
}

/** The width of the page's content. */
const WIDTH = 890;
const WIDEST_COLUMN = 230;
const CHARACTER = 6.9;
const LINE = 17;
const HEAD = 36;

function parseSequence(source: string): Sequence {
  const ids: string[] = [];
  const names: string[] = [];
  const steps: Step[] = [];
  const [first = "", ...lines] = source.split("\n").map((line) => line.trim());
  if (first !== "sequenceDiagram") throw new Error(`only sequence diagrams are drawn: ${first}`);
  const column = (id: string): number => {
    const found = ids.indexOf(id);
    if (found === -1) throw new Error(`"${id}" is no participant`);
    return found;
  };
  for (const line of lines) {
    const participant = /^participant (\w+) as (.+)$/.exec(line);
    const note = /^Note over (\w+)(?:,(\w+))?: (.+)$/.exec(line);
    const message = /^(\w+)(--?)(>>|x)(\w+): (.+)$/.exec(line);
    if (participant !== null) {
      ids.push(participant[1] ?? "");
      names.push(participant[2] ?? "");
    } else if (note !== null) {
      const [, from = "", to = from, text = ""] = note;
      const [a, b] = [column(from), column(to)];
      steps.push({ kind: "note", from: a, to: b, text, isDashed: false, isLost: false });
    } else if (message !== null) {
      const [, from = "", dashes, head, to = "", text = ""] = message;
      steps.push({
        kind: "message",
        from: column(from),
        to: column(to),
        text,
        isDashed: dashes === "--",
        isLost: head === "x",
      });
    } else if (line !== "") throw new Error(`not understood in a sequence diagram: ${line}`);
  }
  return { names, steps };
}

/** Wraps text to the width. */
function wrap(text: string, width: number, character = CHARACTER): readonly string[] {
  const max = Math.max(8, Math.floor(width / character));
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= max) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}

const textAt = (x: number, y: number, lines: readonly string[], anchor: string): string =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}">${lines
    .map(
      (line, index) => `<tspan x="${x}" dy="${index === 0 ? 0 : LINE}">${escapeHtml(line)}</tspan>`,
    )
    .join("")}</text>`;

export function drawSequence(source: string): string {
  const { names, steps } = parseSequence(source);
  const column = Math.min(WIDEST_COLUMN, Math.floor(WIDTH / names.length));
  const at = (index: number): number => column / 2 + index * column;
  const parts: string[] = [];
  let y = HEAD + 24;
  for (const step of steps) {
    const [left, right] = [Math.min(step.from, step.to), Math.max(step.from, step.to)];
    if (step.kind === "note") {
      const width = (right - left) * column + column - 30;
      const lines = wrap(step.text, width - 16);
      const height = lines.length * LINE + 10;
      const middle = (at(left) + at(right)) / 2;
      parts.push(
        `<rect class="note" x="${middle - width / 2}" y="${y}" width="${width}" height="${height}" rx="4"/>`,
        textAt(middle, y + 17, lines, "middle"),
      );
      y += height + 18;
    } else if (step.from === step.to) {
      const lines = wrap(step.text, column - 55);
      const x = at(step.from);
      const height = Math.max(lines.length * LINE, 24);
      parts.push(
        `<path class="line" d="M${x} ${y} h24 v${height} h-18"/>`,
        head(x, y + height, -1),
        textAt(x + 32, y + 12, lines, "start"),
      );
      y += height + 24;
    } else {
      const lines = wrap(step.text, (right - left) * column - 20);
      y += (lines.length - 1) * LINE + 14;
      const direction = step.to > step.from ? 1 : -1;
      const end = at(step.to) - (step.isLost ? direction * 40 : 0);
      parts.push(
        textAt((at(left) + at(right)) / 2, y - 8 - (lines.length - 1) * LINE, lines, "middle"),
        `<path class="line${step.isDashed ? " dashed" : ""}" d="M${at(step.from)} ${y} H${end - direction * 6}"/>`,
        step.isLost
          ? `<path class="line" d="M${end - 6} ${y - 6} l12 12 m0 -12 l-12 12"/>`
          : head(end, y, direction),
      );
      y += 26;
    }
  }
  const width = names.length * column;
  const columns = names.map(
    (name, index) =>
      `<path class="life" d="M${at(index)} ${HEAD} V${y}"/><rect class="box" x="${at(index) - column / 2 + 15}" y="2" width="${column - 30}" height="${HEAD - 4}" rx="6"/>${textAt(at(index), 23, [name], "middle")}`,
  );
  const label = steps.map(({ kind, from, to, text, isLost }) =>
    kind === "note"
      ? `${names[from]}${to === from ? "" : ` and ${names[to]}`}: ${text}`
      : `${names[from]} ${from === to ? "itself" : `to ${names[to]}`}${isLost ? ", lost" : ""}: ${text}`,
  );
  return `<figure class="drawing"><div class="scroll" tabindex="0" role="group" aria-label="Diagram"><svg role="img" aria-label="Sequence between ${escapeHtml(names.join(", "))}; in words below" viewBox="0 0 ${width} ${y + 6}" width="${width}" height="${y + 6}">${columns.join("")}${parts.join("")}</svg></div>
<details><summary>The same in words</summary><ol>${label.map((line) => `<li>${escapeHtml(line)}</li>`).join("")}</ol></details></figure>
`;
}

const head = (x: number, y: number, direction: number): string =>
  `<path class="head" d="M${x} ${y} l${-direction * 9} -5 v10 z"/>`;
