/** The executable of workerd itself: the package's script would add a process in between. */
import { createRequire } from "node:module";

export function workerdPath(): string {
  const { default: path } = createRequire(import.meta.url)("workerd") as { default: string };
  return path;
}
