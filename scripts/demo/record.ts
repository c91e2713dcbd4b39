/**
 * `npm run demo:record`: runs the demo as a person would see it and saves it in docs: the output with its
 * times (an asciinema cast), as plain text, as an animated SVG, and pictures of the page.
 * The recording must not contain a token or a code; the script fails if it does.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isPortTaken } from "../port.ts";
import { castOf, piecesOf, plainOf, type Written } from "./cast.ts";
import { drawPictures, drawTerminal } from "./svg.ts";

const DOCS = join(import.meta.dirname, "../../docs");
const FOLDER = join(DOCS, "demo");
const COLUMNS = 80;
const ROWS = 32;
/** Output within this time counts as one moment. */
const MOMENT_S = 0.03;
/** The format of a link. Base64 of a picture may contain a shorter match by chance. */
const SECRET = /[rj]tok_|\/h\/[0-9A-Z]{4}-/;

async function record(): Promise<readonly Written[]> {
  const port = (await isPortTaken(8787, "127.0.0.1")) ? "0" : "8787";
  const args = [join(import.meta.dirname, "main.ts"), "--shots", FOLDER, "--port", port];
  const { NO_COLOR: _, ...environment } = process.env;
  const demo = spawn(process.execPath, args, {
    env: { ...environment, FORCE_COLOR: "1", COLUMNS: String(COLUMNS) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const startedAt = performance.now();
  const written: Written[] = [];
  const ended = once(demo, "exit");
  for await (const text of demo.stdout.setEncoding("utf8")) {
    process.stdout.write(text as string);
    const at = (performance.now() - startedAt) / 1_000;
    const last = written.at(-1);
    if (last !== undefined && at - last.at < MOMENT_S) {
      written[written.length - 1] = { at: last.at, text: last.text + String(text) };
    } else written.push({ at, text: String(text) });
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`the demo ended with ${String(code)}`);
  // The recording leaves out the installation and the start of the runtime.
  const first = written[0]?.at ?? 0;
  return written.map(({ at, text }) => ({ at: at - first, text }));
}

const SHOTS = [
  ["1-link", "The link"],
  ["2-review", "What the agent did"],
  ["3-approved", "Approved and finished"],
] as const;

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const written = await record();
const pictures = SHOTS.map(([name, caption]) => ({
  png: readFileSync(join(FOLDER, `${name}.png`)),
  caption,
}));
const title =
  "The person's page, three times: the link before it is opened, the work to review, approved";
const files = {
  "demo/demo.cast": castOf(written, COLUMNS, ROWS),
  "demo/transcript.txt": plainOf(written),
  "pictures/demo.svg": drawTerminal(piecesOf(written), COLUMNS, ROWS),
  "pictures/demo-page.svg": drawPictures(title, pictures),
};
mkdirSync(join(DOCS, "pictures"), { recursive: true });
for (const [name, text] of Object.entries(files)) {
  if (SECRET.test(text)) throw new Error(`${name} would show a token or a code`);
  writeFileSync(join(DOCS, name), text);
}
console.log(`Recorded ${Math.round(written.at(-1)?.at ?? 0)} s into docs/demo and docs/pictures.`);
