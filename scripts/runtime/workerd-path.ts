/** The executable of workerd itself: the package's own script would be a process in between. */
import { createRequire } from "node:module";

export function workerdPath(): string {
  const { default: path } = createRequire(import.meta.url)("workerd") as { default: string };
  return path;
}
