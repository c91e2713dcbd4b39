/** Adds, removes and moves rows of a list for browsers without a script. */
import { countRows } from "./maps";
import type { Texts } from "./node";

/** The changed texts, or null if it is another action. */
export function applyRowAction(texts: Texts, action: string): Texts | null {
  const [, verb = "", name = ""] = /^(add|drop|up|down):(.+)$/.exec(action) ?? [];
  if (verb === "") return null;
  if (verb === "add") return new Map([...texts, [`${name}/${countRows(texts, name)}`, ""]]);
  const [, list = "", digits = ""] = /^(.*)\/(\d+)$/.exec(name) ?? [];
  const index = Number(digits);
  if (verb === "up") return renumberRows(texts, list, (row) => swapWithPrevious(row, index));
  if (verb === "down") {
    const isLast = index + 1 >= countRows(texts, list);
    return isLast ? texts : renumberRows(texts, list, (row) => swapWithPrevious(row, index + 1));
  }
  return renumberRows(texts, list, (row) => (row === index ? null : row > index ? row - 1 : row));
}

function swapWithPrevious(row: number, index: number): number {
  if (index === 0) return row;
  if (row === index) return index - 1;
  return row === index - 1 ? index : row;
}

function renumberRows(texts: Texts, list: string, to: (row: number) => number | null): Texts {
  return new Map(
    [...texts].flatMap(([name, text]): readonly (readonly [string, string])[] => {
      const rest = name.startsWith(`${list}/`) ? name.slice(list.length + 1) : "";
      const [digits] = /^\d+/.exec(rest) ?? [];
      if (digits === undefined) return [[name, text]];
      const row = to(Number(digits));
      return row === null ? [] : [[`${list}/${row}${rest.slice(digits.length)}`, text]];
    }),
  );
}
