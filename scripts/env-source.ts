/** The text of src/env.ts, which names the settings. The package embeds it in its script. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const envSource = (): string =>
  readFileSync(join(import.meta.dirname, "../src/env.ts"), "utf8");
