/** Only the Python client needs Python: without it, `npm test` says so and does not fail. */
import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { expect, it } from "vitest";

it("says in the closing lines of npm test that the Python client was not tested", () => {
  const { status, stdout } = spawnSync(process.execPath, ["scripts/test.mjs", "python"], {
    env: { PATH: dirname(process.execPath) },
    encoding: "utf8",
  });

  expect(stdout).toContain("- python: There is no Python 3.10 or newer here");
  expect(stdout.trim().split("\n").at(-1)).toBe("0 passed, 0 failed");
  expect(status).toBe(0);
});
