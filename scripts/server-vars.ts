/**
 * What a deployment sets in wrangler.toml, or as a secret, a server of one's own takes from the
 * environment under the same names. They are read from src/env.ts, so that none can be forgotten here.
 */
import { envSource } from "./env-source.ts";

/** Bindings are objects; what is text may be set. */
export const varNames = (source = envSource()): readonly string[] =>
  [...source.matchAll(/^ {2}readonly ([A-Z][A-Z0-9_]*)\?: (?:string|LogLevel)/gm)].map(
    ([, name = ""]) => name,
  );

/** Those of earlier releases: who sets one is told, because nothing reads it any more. */
const REMOVED = ["CREATE_KEYS"];

export const varsFrom = (environment: NodeJS.ProcessEnv): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...varNames(), ...REMOVED].flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
