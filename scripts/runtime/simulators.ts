/** Where Miniflare keeps the Workers that it simulates R2 with. In the package they stand beside it. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export const SIMULATORS = join(
  dirname(createRequire(import.meta.url).resolve("miniflare")),
  "workers",
);
