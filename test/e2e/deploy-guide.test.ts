import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { ROOT } from "../support/server.ts";

const run = promisify(execFile);
const guide = readFileSync(join(ROOT, "docs/guides/deploy.md"), "utf8");
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

/** The commands of the guide that need an account, which no test has: their names and options. */
const commands = [...guide.matchAll(/^```sh\n(.*?)^```/gms)]
  .flatMap(([, block = ""]) => block.trim().split("\n"))
  .map((line) => line.replace(/^npm run (\w+)$/, (_, name: string) => `npx ${scripts[name]}`))
  .filter((line) => line.startsWith("npx wrangler "))
  .map((line) => line.split(" ").slice(2));

it("names only commands and options of wrangler that it has", async () => {
  expect(commands.length).toBeGreaterThan(4);
  await Promise.all(
    commands.map(async (words) => {
      const path = words.filter((word) =>
        /^(?:login|r2|bucket|lifecycle|create|add|deploy|secret|put)$/.test(word),
      );
      const options = words.filter((word) => word.startsWith("--"));
      const { stdout } = await run(join(ROOT, "node_modules/.bin/wrangler"), [...path, "--help"], {
        env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
      });
      expect(stdout).toContain(`wrangler ${path.join(" ")}`);
      for (const option of options) expect(stdout).toContain(option);
    }),
  );
});
