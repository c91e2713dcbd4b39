/** Ends before anything hangs, so it is not run again. */
import { appendFileSync } from "node:fs";
import { expect, it } from "vitest";

it("passes", () => {
  appendFileSync(process.env["HANGING_FIRST"] ?? "", "run\n");
  expect(1).toBe(1);
});
