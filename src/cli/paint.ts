/** Terminal output: colours only on a terminal, and lines that fit its width. */
import { randomInt } from "node:crypto";

export interface Paint {
  readonly width: number;
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  warn(text: string): string;
}

interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/**
 * Precedes each of our own styles. It is random per process, so text of others cannot contain it.
 */
const STYLE_MARK = `\u001b${String.fromCharCode(randomInt(0xe000, 0xf8ff), randomInt(0xe000, 0xf8ff))}`;

/** Matches one of our styles in a text that is not written yet; a style has no width. */
export const STYLE_PATTERN = new RegExp(`${STYLE_MARK}\\[\\d+m`, "g");

/** Returns to the start of the line and clears it. */
export const CLEAR_LINE = `\r${STYLE_MARK}[K`;

/**
 * Makes a text safe for a terminal: our own styles remain, other control characters are replaced. A
 * line that overwrites itself starts with a carriage return.
 */
export function toTerminal(text: string): string {
  const start = text.startsWith("\r") ? "\r" : "";
  return start + text.slice(start.length).split(STYLE_MARK).map(printable).join("\u001b");
}

/** Makes JSON safe for a terminal. JSON itself escapes only the characters below a space. */
export const toJsonLine = (text: string): string =>
  text.replaceAll(
    /[\u007f-\u009f]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const DEFAULT_WIDTH = 80;
const MIN_WIDTH = 20;

export function paintFor(stream: Stream, env: NodeJS.ProcessEnv): Paint {
  const isColoured = stream.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  const style = (open: number, close: number) => (text: string) =>
    isColoured ? `${STYLE_MARK}[${open}m${text}${STYLE_MARK}[${close}m` : text;
  const columns = Number(env["COLUMNS"]) || stream.columns || DEFAULT_WIDTH;
  return {
    width: Math.max(columns, MIN_WIDTH),
    bold: style(1, 22),
    dim: style(2, 22),
    good: style(32, 39),
    bad: style(31, 39),
    warn: style(33, 39),
  };
}

/** Wraps words at the width, with further lines indented. */
export function wrap(text: string, width: number, indent = ""): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const next = line === "" ? word : `${line} ${word}`;
    if (next.length > width && line !== "") {
      lines.push(line);
      line = indent + word;
    } else line = next;
  }
  return [...lines, line].join("\n");
}

/** Names with their descriptions, side by side if there is space, otherwise below each other. */
export function formatPairs(
  rows: readonly (readonly [name: string, text: string])[],
  { width, bold }: Pick<Paint, "width" | "bold">,
): string {
  const nameWidth = Math.max(0, ...rows.map(([name]) => name.length)) + 2;
  const isNarrow = width - nameWidth < 30;
  return rows
    .map(([name, text]) => {
      if (isNarrow)
        return `  ${bold(name)}\n    ${wrap(text, width - 4, "").replaceAll("\n", "\n    ")}`;
      const indent = " ".repeat(nameWidth + 2);
      return `  ${bold(name)}${" ".repeat(nameWidth - name.length)}${wrap(text, width - nameWidth - 2).replaceAll("\n", `\n${indent}`)}`;
    })
    .join("\n");
}

/** Control characters in text of others must not reach the terminal. */
export const printable = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- they are what it is about
  text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "�");

export const truncate = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
