/** Formats a run as text for a terminal, and tables in Markdown. */
import type { Row } from "./compare.ts";
import type { Result } from "./result.ts";
import type { Spread } from "./stats.ts";

/** Formats a number with the relevant digits. */
export function short(number: number): string {
  if (number >= 1000) return Math.round(number).toLocaleString("en");
  if (number >= 100) return number.toFixed(0);
  return number.toFixed(number >= 10 ? 1 : 2);
}

export const range = ({ low, high }: Spread): string => `${low.toFixed(2)}–${high.toFixed(2)}`;

export const targetOf = ({ ratio, target }: Row): string =>
  target === null ? "" : `${target.toFixed(2)} ${ratio.middle >= target ? "✓" : "✗"}`;

const WIDTHS = [27, 9, 9, 7, 12, 7, 8, 10, 10, 10, 9];
const line = (cells: readonly string[]): string =>
  cells
    .map((cell, index) =>
      index === 0 ? cell.padEnd(WIDTHS[0] ?? 0) : cell.padStart(WIDTHS[index] ?? 9),
    )
    .join(" ");

export const HEADING = line([
  "workload",
  "floor/s",
  "Baton/s",
  "ratio",
  "spread",
  "CPU",
  "target",
  "p50",
  "p99",
  "generator",
  "memory",
]);

export const describeRow = (row: Row): string =>
  line([
    row.name,
    short(row.floor.rate),
    short(row.baton.rate),
    row.ratio.middle.toFixed(2),
    range(row.ratio),
    row.cpuRatio.middle.toFixed(2),
    targetOf(row),
    `${short(row.baton.p50Ms)} ms`,
    `${short(row.baton.p99Ms)} ms`,
    `${Math.round(100 * Math.max(row.floor.generator, row.baton.generator))} %`,
    `${Math.round(row.baton.peakMb)} MB`,
  ]);

export function describeStudies(result: Partial<Result>): string {
  const { memory, race, delivery, growth, eviction, alone, start, many } = result;
  const lines: string[] = [];
  for (const { events, form, floor, baton } of memory ?? []) {
    lines.push(
      `replay of ${events.toLocaleString("en")} events as ${form}: memory from ${short(baton.beforeMb)} MB ` +
        `to at most ${short(baton.peakMb)} MB (floor ${short(floor.beforeMb)} MB, ${short(floor.peakMb)} MB)`,
    );
  }
  if (race !== undefined) {
    const { alone: quiet, besideRace, besideUnraced } = race.appends;
    lines.push(
      `${race.writers} racing writers: ${short(race.rate)}/s accepted (floor ${short(race.floorRate)}/s), ` +
        `${short(race.attemptsEach)} attempts and ${short(race.cpuMsEach)} ms of CPU each ` +
        `(${short(race.cpuMsUnraced)} ms without a race), ${short(race.wastedBytesEach)} bytes of refusals each`,
      `  appends alone ${short(quiet.rate)}/s, p99 ${short(quiet.p99Ms)} ms; beside the race ` +
        `${short(besideRace.rate)}/s, p99 ${short(besideRace.p99Ms)} ms; beside the same writers without a race ` +
        `${short(besideUnraced.rate)}/s, p99 ${short(besideUnraced.p99Ms)} ms; refused ` +
        `${quiet.refused}, ${besideRace.refused}, ${besideUnraced.refused}`,
    );
  }
  for (const { listeners, events, floor, baton } of delivery ?? []) {
    lines.push(
      `${listeners} listeners, ${events} events: p50 ${short(baton.p50Ms)} ms, p99 ${short(baton.p99Ms)} ms, ` +
        `${short(baton.cpuMsEach)} ms of CPU an event, ${short(baton.kbEach)} KB a listener, ${baton.starved} starved ` +
        `(floor: p50 ${short(floor.p50Ms)} ms, p99 ${short(floor.p99Ms)} ms, ${short(floor.cpuMsEach)} ms of CPU, ${floor.starved} starved)`,
    );
  }
  for (const { operation, empty, full, ratio, cpuRatio } of growth?.longLog ?? []) {
    lines.push(
      `${operation} with ${growth?.events.toLocaleString("en")} events behind it: ${short(full)}/s, without ` +
        `${short(empty)}/s, ratio ${ratio.middle.toFixed(2)} (${range(ratio)}), CPU ${cpuRatio.middle.toFixed(2)}`,
    );
  }
  for (const one of growth?.manySessions ?? []) {
    lines.push(
      `get over ${one.sessions} sessions: ${short(one.batonRate)}/s, ${short(one.batonCpuMs)} ms of CPU, ` +
        `${short(one.batonKbEach)} KB each (floor ${short(one.floorRate)}/s, ${short(one.floorCpuMs)} ms, ${short(one.floorKbEach)} KB)`,
    );
  }
  for (const [name, { wallMs, cpuMs }] of Object.entries(alone ?? {})) {
    lines.push(`${name}, alone: ${short(wallMs)} ms, ${short(cpuMs)} ms of CPU`);
  }
  for (const [name, one] of [
    ["Baton", start?.baton],
    ["floor", start?.floor],
    ["floor on Miniflare", start?.miniflare],
  ] as const) {
    if (one === undefined) continue;
    lines.push(
      `${name}: first answer after ${short(one.firstAnswerMs)} ms, at rest ` +
        `${short(one.nodeMb + one.runtimeMb)} MB (node ${short(one.nodeMb)}, workerd ${short(one.runtimeMb)})`,
    );
  }
  for (const [index, one] of (many?.baton ?? []).entries()) {
    const floor = many?.floor[index];
    lines.push(
      `${one.sessions.toLocaleString("en")} sessions used: p50 ${short(one.p50Ms)} ms, ${short(one.cpuMs)} ms of CPU, ` +
        `${short(one.residentMb)} MB (floor ${short(floor?.p50Ms ?? 0)} ms, ${short(floor?.residentMb ?? 0)} MB)`,
    );
  }
  for (const row of result.miniflare ?? []) lines.push(`on Miniflare: ${describeRow(row)}`);
  for (const { name, row } of result.peers ?? []) {
    lines.push(describeRow({ ...row, name: `peer: ${name}` }));
  }
  for (const { name, kb } of result.allocations ?? []) {
    lines.push(`${name}: a call allocates ${short(kb.middle)} KB (${range(kb)})`);
  }
  if (eviction !== undefined) {
    const { floor, baton } = eviction;
    lines.push(
      `resume after eviction (${eviction.evicted} of ${eviction.sessions} witnesses evicted): ` +
        `p50 ${short(baton.cold.p50Ms)} ms, awake ${short(baton.warm.p50Ms)} ms ` +
        `(floor ${short(floor.cold.p50Ms)} ms, awake ${short(floor.warm.p50Ms)} ms)`,
    );
  }
  return lines.join("\n");
}

export type Cells = readonly string[];

export const markdownTable = (head: Cells, rows: readonly Cells[]): string =>
  [head, head.map((_, index) => (index === 0 ? "---" : "---:")), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
