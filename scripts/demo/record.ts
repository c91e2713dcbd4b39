/**
 * `npm run demo:record`: runs the demo as a person would see it and keeps it in docs/demo: the output
 * with its times (an asciinema cast), as an SVG that plays, as plain text, and pictures of the page.
 * What is recorded holds no token and no code; it fails where it would.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isPortTaken } from "../port.ts";
import { castOf, piecesOf, plainOf, type Written } from "./cast.ts";
import { drawTerminal } from "./svg.ts";

const FOLDER = join(import.meta.dirname, "../../docs/demo");
const COLUMNS = 80;
const ROWS = 32;
/** Output that comes within this time is one moment. */
const MOMENT_S = 0.03;
const SECRET = /[rj]tok_|\/h\/[0-9A-Z]/;

async function record(): Promise<readonly Written[]> {
  const port = (await isPortTaken(8787, "127.0.0.1")) ? "0" : "8787";
  const args = [join(import.meta.dirname, "main.ts"), "--shots", FOLDER, "--port", port];
  const { NO_COLOR: _, ...environment } = process.env;
  const demo = spawn(process.execPath, args, {
    env: { ...environment, FORCE_COLOR: "1", COLUMNS: String(COLUMNS) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const began = performance.now();
  const written: Written[] = [];
  const ended = once(demo, "exit");
  for await (const text of demo.stdout.setEncoding("utf8")) {
    process.stdout.write(text as string);
    const at = (performance.now() - began) / 1_000;
    const last = written.at(-1);
    if (last !== undefined && at - last.at < MOMENT_S) {
      written[written.length - 1] = { at: last.at, text: last.text + String(text) };
    } else written.push({ at, text: String(text) });
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`the demo ended with ${String(code)}`);
  // The installation and the start of the runtime are no part of the story.
  const first = written[0]?.at ?? 0;
  return written.map(({ at, text }) => ({ at: at - first, text }));
}

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const written = await record();
const files = {
  "demo.cast": castOf(written, COLUMNS, ROWS),
  "demo.svg": drawTerminal(piecesOf(written), COLUMNS, ROWS),
  "transcript.txt": plainOf(written),
};
for (const [name, text] of Object.entries(files)) {
  if (SECRET.test(text)) throw new Error(`${name} would show a token or a code`);
  writeFileSync(join(FOLDER, name), text);
}
console.log(`Recorded ${Math.round(written.at(-1)?.at ?? 0)} s into docs/demo.`);
