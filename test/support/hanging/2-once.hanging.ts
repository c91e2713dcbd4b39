/** Hangs in its second test, the first time that it is run. */
import { existsSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";

const mark = process.env["HANGING_MARK"] ?? "";

it("passes", () => expect(1).toBe(1));

it("waits for ever, once", async () => {
  if (existsSync(mark)) return;
  writeFileSync(mark, "");
  await new Promise(() => {});
});
