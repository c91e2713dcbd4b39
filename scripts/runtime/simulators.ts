/** The folder of the Workers with which Miniflare simulates R2. The npm package contains a copy. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export const SIMULATORS = join(
  dirname(createRequire(import.meta.url).resolve("miniflare")),
  "workers",
);
