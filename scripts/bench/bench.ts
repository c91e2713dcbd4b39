/**
 * `npm run bench`: Baton against the bare platform doing the same storage work, on this machine, in one
 * run: alternating rounds, a warm-up, medians. Ratios are what counts; requests a second depend on the
 * machine. `--quick` runs fewer and shorter rounds, `--json FILE` keeps the result.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { compare, type Row } from "./compare.ts";
import { startServers } from "./servers.ts";
import { WORKLOADS } from "./workloads.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    only: { type: "string" },
  },
});
const plan = values.quick ? { rounds: 3, roundMs: 600 } : { rounds: 5, roundMs: 1_500 };

const chosen = WORKLOADS.filter(({ name, isQuick }) =>
  values.only === undefined
    ? !values.quick || isQuick === true
    : name.toLowerCase().includes(values.only.toLowerCase()),
);

const progress = (text: string): void => {
  process.stderr.write(text === "" ? "\r\u001B[K" : `\r\u001B[K${text}`);
};

const line = (cells: readonly string[]): string =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(27) : cell.padStart(9))).join(" ");

function describe(row: Row): string {
  const spread = `${row.ratio.low.toFixed(2)}–${row.ratio.high.toFixed(2)}`;
  const mark = row.target === null ? "" : row.ratio.middle >= row.target ? "✓" : "✗";
  return line([
    row.name,
    row.floor.rate.toFixed(row.floor.rate < 100 ? 1 : 0),
    row.baton.rate.toFixed(row.baton.rate < 100 ? 1 : 0),
    row.ratio.middle.toFixed(2),
    spread,
    row.cpuRatio.middle.toFixed(2),
    row.target === null ? "" : `${row.target.toFixed(2)} ${mark}`,
    `${row.baton.p50Ms.toFixed(1)} ms`,
    `${row.baton.p99Ms.toFixed(1)} ms`,
    `${Math.round(100 * Math.max(row.floor.generator, row.baton.generator))} %`,
    `${row.baton.peakMb.toFixed(0)} MB`,
  ]);
}

const rows: Row[] = [];
const servers = await startServers();
console.log(
  line(
    [
      ["workload", "floor/s", "baton/s", "ratio", "spread", "CPU"],
      ["target", "p50", "p99", "generator", "memory"],
    ].flat(),
  ),
);
try {
  for (const workload of chosen) {
    const row = await compare(workload, servers, plan, (text) =>
      progress(`${workload.name}: ${text}`),
    );
    rows.push(row);
    progress("");
    console.log(describe(row));
  }
} finally {
  await servers.stop();
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`);
