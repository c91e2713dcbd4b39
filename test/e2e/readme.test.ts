import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ROOT, startServer, temporaryFolder, type Server } from "../support/server.ts";

const run = promisify(execFile);

/** The one shell script of the README, as it stands there. */
function walkInReadme(): string {
  const blocks = [
    ...readFileSync(join(ROOT, "README.md"), "utf8").matchAll(/^```bash\n(.*?)^```/gms),
  ];
  const [, script] = blocks[0] ?? [];
  if (script === undefined || blocks.length !== 1) throw new Error("README has one bash block");
  return script;
}

const data = temporaryFolder();
let server: Server;

beforeAll(async () => {
  server = await startServer(data.path);
});

afterAll(async () => {
  await server.stop();
  data[Symbol.dispose]();
});

it("runs the walk of the README, line by line, against a server as npm start serves it", async () => {
  const script = walkInReadme();

  const { stdout, stderr } = await run("bash", ["-euo", "pipefail", "-c", script], {
    env: { ...process.env, BATON_URL: server.url },
  });

  expect(stderr).toBe("");
  expect(stdout.trim().split("\n")).toEqual([
    "1 session.created",
    "2 token.issued",
    "3 fields.updated",
    "4 token.accessed",
    "5 token.issued",
    "{ name: 'Ada', passport: 'X1' }",
  ]);
});
