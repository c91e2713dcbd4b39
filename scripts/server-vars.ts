/**
 * What a deployment sets in wrangler.toml a server of one's own takes from the environment, under the
 * same names. The names are read from there, so that none can be forgotten here.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const WRANGLER = join(import.meta.dirname, "../wrangler.toml");

export function varNames(toml = readFileSync(WRANGLER, "utf8")): readonly string[] {
  const [, section = ""] = /^\[vars\]\n(.*?)(?=^\[|$(?![^]))/ms.exec(toml) ?? [];
  return [...section.matchAll(/^([A-Z][A-Z0-9_]*) *=/gm)].map(([, name = ""]) => name);
}

export const varsFrom = (environment: NodeJS.ProcessEnv): Readonly<Record<string, string>> =>
  Object.fromEntries(
    varNames().flatMap((name) => {
      const value = environment[name];
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
