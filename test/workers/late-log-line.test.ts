/** A test of the runner's own settings: without them this file would never end. */
import { expect, it } from "vitest";
import { client, inside } from "../support/worker";

const STEP_MS = 5;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it("lines that an object logs while its file ends do not keep the run from ending", async () => {
  const session = await client.create();
  const logging = inside(session, async () => {
    for (let line = 0; line < 20; line += 1) {
      await pause(STEP_MS);
      console.debug("a line of an object that outlives its test");
    }
  });
  await pause(10 * STEP_MS);
  expect(await Promise.race([logging, "it still logs"])).toBe("it still logs");
});
