/** The text of src/env.ts, which names what can be set. The package carries it in its own script. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const envSource = (): string =>
  readFileSync(join(import.meta.dirname, "../src/env.ts"), "utf8");
