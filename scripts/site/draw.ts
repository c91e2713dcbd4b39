/**
 * Draws docs/pictures. The timeline is drawn from docs/pictures/timeline.json, which `--record` records
 * again by running the session on a separate server.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toSvg } from "./drawing.ts";
import { layers, live, overview, states } from "./pictures.ts";
import { drawTimeline, type Moment } from "./timeline.ts";

const FOLDER = join(import.meta.dirname, "../../docs/pictures");
const LOG = join(FOLDER, "timeline.json");

export const recordedTimeline = (): readonly Moment[] =>
  JSON.parse(readFileSync(LOG, "utf8")) as readonly Moment[];

/** The pictures by file name. */
export const drawPictures = (): Readonly<Record<string, string>> => ({
  "layers.svg": toSvg(layers),
  "live.svg": toSvg(live),
  "overview.svg": toSvg(overview),
  "states.svg": toSvg(states),
  "timeline.svg": toSvg(drawTimeline(recordedTimeline())),
});

async function record(): Promise<void> {
  const { startLocalServer } = await import("../local-server.ts");
  const { recordTimeline } = await import("./record.ts");
  const dataFolder = mkdtempSync(join(tmpdir(), "baton-timeline-"));
  const server = await startLocalServer({ port: 0, host: "127.0.0.1", dataFolder });
  if (server === null) throw new Error("the folder is new, yet another server has it");
  const moments = await recordTimeline(server.url);
  await server.stop();
  rmSync(dataFolder, { recursive: true, force: true });
  const lines = moments.map((moment) => `  ${JSON.stringify(moment)}`);
  writeFileSync(LOG, `[\n${lines.join(",\n")}\n]\n`);
}

if (import.meta.main) {
  if (process.argv.includes("--record")) await record();
  for (const [name, svg] of Object.entries(drawPictures())) {
    writeFileSync(join(FOLDER, name), svg);
  }
}
