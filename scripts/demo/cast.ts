/** A recorded terminal: output with its times. It parses the escape sequences that terminal.ts writes. */
export interface Written {
  /** Seconds since the start. */
  readonly at: number;
  readonly text: string;
}

export interface Piece {
  readonly at: number;
  readonly row: number;
  readonly column: number;
  readonly text: string;
  readonly isBold: boolean;
  readonly isDim: boolean;
  /** 31 to 36, or null for the default. */
  readonly colour: number | null;
}

// oxlint-disable-next-line no-control-regex -- they are what it is about
const SEQUENCE = /\u001b\[(\d+)m/g;

/** Version 2 of asciinema's format: a header, then a line for each piece of output. */
export const castOf = (written: readonly Written[], width: number, height: number): string =>
  [
    { version: 2, width, height, title: "npm run demo" },
    ...written.map(({ at, text }) => [Number(at.toFixed(3)), "o", text.replaceAll("\n", "\r\n")]),
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");

export const plainOf = (written: readonly Written[]): string =>
  written
    .map(({ text }) => text)
    .join("")
    .replaceAll(SEQUENCE, "")
    .replaceAll(/ +$/gm, "");

/** Pieces of one style each, placed on the grid. */
export function piecesOf(written: readonly Written[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let [row, column, isBold, isDim] = [0, 0, false, false];
  let colour: number | null = null;
  const put = (at: number, text: string): void => {
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) [row, column] = [row + 1, 0];
      if (part.trim() !== "") pieces.push({ at, row, column, text: part, isBold, isDim, colour });
      column += part.length;
    }
  };
  for (const { at, text } of written) {
    let from = 0;
    for (const found of text.matchAll(SEQUENCE)) {
      put(at, text.slice(from, found.index));
      from = found.index + found[0].length;
      const code = Number(found[1]);
      if (code === 1) isBold = true;
      else if (code === 2) isDim = true;
      else if (code === 22) [isBold, isDim] = [false, false];
      else colour = code === 39 ? null : code;
    }
    put(at, text.slice(from));
  }
  return pieces;
}
