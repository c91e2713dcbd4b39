/** Small texts made of values: who, when, how much. */
import type { Actor } from "../domain/participants/actor";
import { KIND_WORDS, PRODUCT } from "./words";

export const whoText = ({ kind, id, name }: Actor): string =>
  kind === "system" ? PRODUCT : `${name ?? id} (${KIND_WORDS[kind]})`;

/** In UTC, because the server knows no other clock; the page's script shows the reader's own. */
export const timeText = (iso: string): string => `${iso.slice(0, 16).replace("T", " ")} UTC`;

const KIB = 1024;

export function bytesText(bytes: number): string {
  if (bytes < KIB) return `${bytes} bytes`;
  return bytes < KIB * KIB ? `${round(bytes / KIB)} KiB` : `${round(bytes / (KIB * KIB))} MiB`;
}

const round = (number: number): string => String(Math.round(number * 10) / 10);
