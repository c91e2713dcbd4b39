/** Small texts made of values: who, and how much. */
import type { Actor } from "../domain/participants/actor";
import type { Words } from "./words/en";

/** A name as it was given; without one only what kind of somebody it is. */
export function whoText({ kind, id, name }: Actor, words: Words): string {
  if (kind === "system") return words.product;
  return `${name ?? id} (${words.kinds[kind]})`;
}

const KB = 1000;

/** As file managers say it. */
export function bytesText(bytes: number, _: Words, format: (number: number) => string): string {
  if (bytes < KB) return `${format(bytes)} B`;
  const [amount, unit] = bytes < KB * KB ? [bytes / KB, "KB"] : [bytes / (KB * KB), "MB"];
  return `${format(Math.round(amount * 10) / 10)} ${unit}`;
}
