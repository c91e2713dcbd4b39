import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { ROOT } from "../support/server.ts";

const run = promisify(execFile);
const guide = readFileSync(join(ROOT, "docs/guides/deploy.md"), "utf8");
const WRANGLER = join(ROOT, "node_modules/.bin/wrangler");

/** The commands that need an account, which no test has. Other tests deploy without one. */
const commands = [...guide.matchAll(/^npx wrangler (.+)$/gm)]
  .map(([, command = ""]) => command.split(" "))
  .filter(([first]) => first !== "login");
const NAMES = new Set(["r2", "bucket", "lifecycle", "create", "add", "secret", "put"]);

it("names only commands and options that wrangler has", async () => {
  expect(commands).toHaveLength(3);
  for (const command of commands) {
    const path = command.filter((word) => NAMES.has(word));
    const { stdout } = await run(WRANGLER, [...path, "--help"]);
    expect(stdout).toContain(`wrangler ${path.join(" ")}`);
    for (const option of command.filter((word) => word.startsWith("--"))) {
      expect(stdout).toContain(option);
    }
  }
});
