/**
 * `npm run torture -- [--seed N] [--minutes M] [--kills K]`: random operations by many while faults
 * strike, and a check of every session's whole history. Ends with 1 and the seed if anything is wrong.
 */
import { parseArgs } from "node:util";
import { runTorture } from "../test/support/torture/run.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    minutes: { type: "string", default: "2" },
    kills: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const seed = Number(values.seed);
const minutes = Number(values.minutes);
const kills = Number(values.kills ?? Math.round(minutes * 4));
const report = await runTorture({
  seed,
  durationMs: minutes * 60_000,
  kills,
  onProgress: (figures, ms) => console.error(`${Math.round(ms / 1000)} s: ${figures.line()}`),
});
console.log(JSON.stringify(report.figures.toJson(), null, 1));
for (const v of report.figures.violations.slice(0, 40)) console.log(v);
if (report.figures.violations.length > 0) console.log(report.serverSaid.slice(-3000));
process.exit(report.figures.violations.length > 0 ? 1 : 0);
