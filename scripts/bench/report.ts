/** A run as the generated parts of docs/performance.md. Pure, so that a test can recompute them. */
import type { Row } from "./compare.ts";
import { costBlock, listenersBlock, pricesBlock, type CountedWork } from "./cost-report.ts";
import type { Result } from "./result.ts";
import {
  allocationsBlock,
  manyBlock,
  miniflareBlock,
  peersBlock,
  startBlock,
} from "./study-report.ts";
import { markdownTable as table, range, short, targetOf, type Cells } from "./table.ts";

const ratioTable = (rows: readonly Row[]): string =>
  table(
    [
      "workload",
      "clients",
      "floor/s",
      "Baton/s",
      "ratio",
      "rounds",
      "CPU ratio",
      "target",
      "p50",
      "p99",
    ],
    rows.map((row) => [
      row.name,
      String(row.clients),
      short(row.floor.rate),
      short(row.baton.rate),
      row.ratio.middle.toFixed(2),
      range(row.ratio),
      row.cpuRatio.middle.toFixed(2),
      targetOf(row),
      `${short(row.baton.p50Ms)} ms`,
      `${short(row.baton.p99Ms)} ms`,
    ]),
  );

function machineBlock({ machine, rounds, starts, roundMs, seconds, rows }: Result): string {
  const share = Math.max(
    0,
    ...rows.map(({ floor, baton }) => Math.max(floor.generator, baton.generator)),
  );
  return (
    `Measured on ${machine.date}: ${machine.cores} cores (${machine.processor}), ${machine.memoryGb} GB, ` +
    `Node ${machine.node.slice(1)}, workerd ${machine.workerd}; ${rounds} rounds of ${roundMs} ms on each side over ${starts} starts of both servers, ` +
    `${seconds} s in all. The load average of the machine was ${short(machine.load[0])} at the beginning and ` +
    `${short(machine.load[1])} at the end. The load generator used at most ${Math.round(share * 100)} % of one core.`
  );
}

function requestsBlock({ rows }: Result): string | null {
  const requests = rows.filter(({ group }) => group !== "replay");
  if (requests.length === 0) return null;
  const one = rows.find(({ name }) => name === "append 1");
  const many = rows.find(({ name }) => name === "append 100");
  const events =
    one === undefined || many === undefined
      ? ""
      : `\n\nAppending a hundred events per call stores ${short(many.baton.rate * 100)} events per second, ` +
        `${short((many.baton.rate * 100) / one.baton.rate)} times as many as one event per call (${short(one.baton.rate)}).`;
  const alt =
    "Bars: throughput of each kind of request as a share of the floor's; the table below has the numbers";
  return `![${alt}](performance/requests.svg)\n\n${ratioTable(requests)}${events}`;
}

function replayBlock({ rows }: Result): string | null {
  const replays = rows.filter(({ group }) => group === "replay");
  if (replays.length === 0) return null;
  const alt =
    "Bars: throughput of replay in each form and size as a share of the floor's range read; the table below has the numbers";
  return `![${alt}](performance/replay.svg)\n\n${ratioTable(replays)}`;
}

function memoryBlock({ memory }: Result): string | null {
  if (memory === undefined) return null;
  const alt =
    "Bars: peak memory of the runtime during each replay; the table below has the numbers";
  const head = ["events read", "as", "floor before", "floor peak", "Baton before", "Baton peak"];
  const cells = memory.map(({ events, form, floor, baton }) => [
    events.toLocaleString("en"),
    form,
    ...[floor.beforeMb, floor.peakMb, baton.beforeMb, baton.peakMb].map((mb) => `${short(mb)} MB`),
  ]);
  return `![${alt}](performance/memory.svg)\n\n${table(head, cells)}`;
}

function raceBlock({ race }: Result): string | null {
  if (race === undefined) return null;
  const { alone, besideRace, besideUnraced } = race.appends;
  const appends = table(
    ["4 clients append to one session", "appends/s", "p50", "p99", "not accepted at once"],
    (
      [
        ["and no other client writes", alone],
        [`while ${race.writers} others race on that session`, besideRace],
        [`while ${race.writers} others write to other sessions`, besideUnraced],
      ] as const
    ).map(([name, one]) => [
      name,
      short(one.rate),
      `${short(one.p50Ms)} ms`,
      `${short(one.p99Ms)} ms`,
      String(one.refused),
    ]),
  );
  return (
    `${race.writers} writers race on one session. Each writer that is refused reads the error and tries again. ` +
    `The server accepts ${short(race.rate)} writes per second; the floor, which checks nothing, accepts ${short(race.floorRate)}. ` +
    `One accepted write takes ${short(race.attemptsEach)} attempts, so ${short(race.attemptsEach - 1)} of them are refused. ` +
    `Refused attempts write no row. Per accepted write they cost ${short(race.wastedBytesEach)} bytes of responses. ` +
    `Including them, an accepted write costs ${short(race.cpuMsEach)} ms of CPU, ` +
    `and ${short(race.cpuMsUnraced)} ms if each writer has its own session.\n\n${appends}`
  );
}

function deliveryBlock({ delivery }: Result): string | null {
  if (delivery === undefined) return null;
  const alt =
    "Bars: time from an append until listeners have the event, at 1, 100 and 1,000 listeners; the table below has the numbers";
  const rows = delivery.flatMap(({ listeners, floor, baton }) =>
    (
      [
        ["Baton", baton],
        ["floor", floor],
      ] as const
    ).map(([name, side]) => [
      `${listeners.toLocaleString("en")}, ${name}`,
      `${short(side.p50Ms)} ms`,
      `${short(side.p99Ms)} ms`,
      `${short(side.maxMs)} ms`,
      `${short(side.cpuMsEach)} ms`,
      listeners === 1 ? "" : `${short(side.kbEach)} KB`,
      String(side.starved),
    ]),
  );
  const head = ["listeners", "p50", "p99", "last", "CPU per event", "memory each", "starved"];
  return `![${alt}](performance/delivery.svg)\n\n${table(head, rows)}`;
}

function growthBlock({ growth }: Result): string | null {
  if (growth === undefined) return null;
  const logs = table(
    [
      "operation",
      "empty log",
      `${growth.events.toLocaleString("en")} events`,
      "ratio",
      "rounds",
      "CPU ratio",
    ],
    growth.longLog.map((one) => [
      one.operation,
      `${short(one.empty)}/s`,
      `${short(one.full)}/s`,
      one.ratio.middle.toFixed(2),
      range(one.ratio),
      one.cpuRatio.middle.toFixed(2),
    ]),
  );
  const sessions = table(
    [
      "get, in turn over",
      "floor/s",
      "Baton/s",
      "floor CPU",
      "Baton CPU",
      "floor memory",
      "Baton memory",
    ],
    growth.manySessions.map((one) => [
      `${one.sessions.toLocaleString("en")} sessions`,
      short(one.floorRate),
      short(one.batonRate),
      `${short(one.floorCpuMs)} ms`,
      `${short(one.batonCpuMs)} ms`,
      `${short(one.floorKbEach)} KB each`,
      `${short(one.batonKbEach)} KB each`,
    ]),
  );
  return `${logs}\n\n${sessions}`;
}

function evictionBlock({ eviction }: Result): string | null {
  if (eviction === undefined) return null;
  const row = (name: string, side: typeof eviction.baton): Cells => [
    name,
    `${short(side.cold.p50Ms)} ms`,
    `${short(side.cold.maxMs)} ms`,
    `${short(side.warm.p50Ms)} ms`,
  ];
  return (
    `${table(["resume", "evicted, p50", "evicted, longest", "awake, p50"], [row("Baton", eviction.baton), row("floor", eviction.floor)])}\n\n` +
    `${eviction.sessions} sessions of ${eviction.events.toLocaleString("en")} events, one after the other. ` +
    `Of ${eviction.sessions} objects of the floor that had waited as long, ${eviction.evicted} were created again.`
  );
}

/** The blocks by name, null if the run did not measure it. */
export function blocksOf(
  result: Result,
  counted: CountedWork,
): Readonly<Record<string, string | null>> {
  return {
    machine: machineBlock(result),
    requests: requestsBlock(result),
    replay: replayBlock(result),
    memory: memoryBlock(result),
    race: raceBlock(result),
    delivery: deliveryBlock(result),
    growth: growthBlock(result),
    eviction: evictionBlock(result),
    many: manyBlock(result),
    start: startBlock(result),
    miniflare: miniflareBlock(result),
    peers: peersBlock(result),
    allocations: allocationsBlock(result),
    prices: pricesBlock(),
    cost: costBlock(result, counted),
    listeners: listenersBlock(result),
  };
}

const markers = (name: string): readonly [string, string] => [
  `<!-- bench: ${name} -->`,
  `<!-- /bench: ${name} -->`,
];

/** The text between a block's markers, or null if the document has no such block. */
export function blockIn(document: string, name: string): string | null {
  const [start, end] = markers(name);
  const [from, to] = [document.indexOf(start), document.indexOf(end)];
  return from < 0 || to < from ? null : document.slice(from + start.length, to).trim();
}

export function withBlock(document: string, name: string, text: string): string {
  const [start, end] = markers(name);
  const [from, to] = [document.indexOf(start), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no block "${name}"`);
  return `${document.slice(0, from + start.length)}\n\n${text}\n\n${document.slice(to)}`;
}
