/** The declarations of the package, as a project with Node's own resolution reads them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const TYPES = join(import.meta.dirname, "../../dist/types");

it("name every file that they import from, in full", () => {
  const names = readdirSync(TYPES, { recursive: true, encoding: "utf8" });
  const imports = names
    .filter((name) => name.endsWith(".d.ts"))
    .flatMap((name) =>
      [...readFileSync(join(TYPES, name), "utf8").matchAll(/(?:from |import\()"(\.[^"]+)"/g)].map(
        ([, path = ""]) => ({ name, path }),
      ),
    );
  expect(imports.length).toBeGreaterThan(100);
  const missing = imports.filter(
    ({ name, path }) =>
      !path.endsWith(".js") ||
      !existsSync(join(TYPES, dirname(name), path.replace(/\.js$/, ".d.ts"))),
  );
  expect(missing).toEqual([]);
});
