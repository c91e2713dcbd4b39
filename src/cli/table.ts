/**
 * Formats rows as columns that fit the terminal: the last column is cut if needed, the first never.
 */
import { truncate, STYLE_PATTERN, type Paint } from "./paint";

const GAP = 2;
/** Below this width the last column does not fit next to the others. */
const MIN_LAST_COLUMN = 12;

const widthOf = (text: string): number => text.replaceAll(STYLE_PATTERN, "").length;

const pad = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - widthOf(text)));

export function formatTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { width, dim }: Pick<Paint, "width" | "dim">,
): string {
  const widths = head.map((name, at) =>
    Math.max(name.length, ...rows.map((row) => widthOf(row[at] ?? ""))),
  );
  const otherWidths = widths.slice(0, -1).reduce((sum, one) => sum + one + GAP, 0);
  const lastWidth = width - otherWidths;
  if (lastWidth >= MIN_LAST_COLUMN) {
    const line = (row: readonly string[]): string =>
      row
        .map((text, at) =>
          at === head.length - 1 ? truncate(text, lastWidth) : pad(text, (widths[at] ?? 0) + GAP),
        )
        .join("")
        .trimEnd();
    return [dim(line(head)), ...rows.map(line)].join("\n");
  }
  // Narrow layout: the first column on its own line, the others indented below it.
  return rows
    .map(([first = "", ...rest]) => {
      const last = rest.at(-1) ?? "";
      const middle = rest.slice(0, -1).filter((text) => text !== "");
      const details = [middle.join(" "), last].filter((text) => text !== "");
      const lines = details.map(
        (text) => `  ${widthOf(text) > width - 2 ? truncate(text, width - 2) : text}`,
      );
      return [first, ...lines].join("\n");
    })
    .join("\n");
}
