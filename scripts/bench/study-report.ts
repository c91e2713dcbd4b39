/** The newer studies as parts of docs/performance.md. Pure, like report.ts. */
import type { Result } from "./result.ts";
import { markdownTable as table, range, short, targetOf } from "./table.ts";

export function manyBlock({ many }: Result): string | null {
  if (many === undefined) return null;
  const [first, last] = [many.baton[0], many.baton.at(-1)];
  const [floorFirst, floorLast] = [many.floor[0], many.floor.at(-1)];
  if (!first || !last || !floorFirst || !floorLast) return null;
  const rows = many.baton.map((one, index) => {
    const floor = many.floor[index] ?? one;
    return [
      one.sessions.toLocaleString("en"),
      `${short(one.p50Ms)} ms`,
      `${short(floor.p50Ms)} ms`,
      `${short(one.cpuMs)} ms`,
      `${short(one.residentMb)} MB`,
      `${short(floor.residentMb)} MB`,
    ];
  });
  const head = ["sessions used", "p50", "floor p50", "CPU", "memory", "floor memory"];
  const alt = "Lines: memory of the runtime after each thousand sessions, Baton and the floor";
  return (
    `![${alt}](performance/many.svg)\n\n${table(head, rows)}\n\n` +
    `The last thousand took ${(last.p50Ms / first.p50Ms).toFixed(2)} times as long as the first ` +
    `(target: at most 1.20; floor: ${(floorLast.p50Ms / floorFirst.p50Ms).toFixed(2)}) ` +
    `and ${(last.cpuMs / first.cpuMs).toFixed(2)} times the CPU time.`
  );
}

export function startBlock({ start }: Result): string | null {
  if (start === undefined) return null;
  const { baton, floor, miniflare } = start;
  const allOf = ({ nodeMb, runtimeMb }: typeof baton): number => nodeMb + runtimeMb;
  const row = (name: string, one: typeof baton): readonly string[] => [
    name,
    `${short(one.firstAnswerMs)} ms`,
    `${short(allOf(one))} MB`,
    `${short(one.nodeMb)} MB`,
    `${short(one.runtimeMb)} MB`,
    (baton.firstAnswerMs / one.firstAnswerMs).toFixed(2),
    (allOf(baton) / allOf(one)).toFixed(2),
  ];
  const head = [
    "server",
    "first response",
    "memory",
    "Node",
    "workerd",
    "Baton's time / this",
    "Baton's memory / this",
  ];
  const rows = [row("Baton", baton), row("floor", floor), row("floor on Miniflare", miniflare)];
  return `${table(head, rows)}\n\nMedians of ${start.starts} starts of each server.`;
}

export function miniflareBlock({ miniflare, rows }: Result): string | null {
  if (miniflare === undefined) return null;
  const head = [
    "workload",
    "floor on Miniflare/s",
    "Baton/s",
    "ratio",
    "rounds",
    "CPU ratio",
    "target",
    "ratio to the bare floor",
  ];
  const cells = miniflare.map((row) => [
    row.name,
    short(row.floor.rate),
    short(row.baton.rate),
    row.ratio.middle.toFixed(2),
    range(row.ratio),
    row.cpuRatio.middle.toFixed(2),
    targetOf(row),
    rows.find(({ name }) => name === row.name)?.ratio.middle.toFixed(2) ?? "",
  ]);
  return table(head, cells);
}

export function peersBlock({ peers }: Result): string | null {
  if (peers === undefined) return null;
  const head = [
    "work",
    "clients",
    "Durable Streams, events/s",
    "Baton, events/s",
    "ratio",
    "rounds",
    "CPU ratio",
  ];
  const cells = peers.map(({ name, events, row }) => [
    name,
    String(row.clients),
    short(row.floor.rate * events),
    short(row.baton.rate * events),
    row.ratio.middle.toFixed(2),
    range(row.ratio),
    row.cpuRatio.middle.toFixed(2),
  ]);
  const alt =
    "Bars: events per second of Baton as a share of Durable Streams'; the table below has the numbers";
  return `![${alt}](performance/peers.svg)\n\n${table(head, cells)}`;
}

export function allocationsBlock({ allocations }: Result): string | null {
  if (allocations === undefined) return null;
  const cells = allocations.map(({ name, kb }) => [
    name,
    `${short(kb.middle)} KB`,
    `${short(kb.low)}–${short(kb.high)}`,
  ]);
  return table(["call", "allocates", "range of batches"], cells);
}
