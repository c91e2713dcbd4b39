/**
 * A self-hosted server reads the settings of wrangler.toml and the secrets from the environment, under the
 * same names. The names come from src/env.ts, so that none can be missing here.
 */
import { envSource } from "./env-source.ts";

/** Bindings are objects; settings are strings. */
export const varNames = (source = envSource()): readonly string[] =>
  [...source.matchAll(/^ {2}readonly ([A-Z][A-Z0-9_]*)\?: (?:string|LogLevel)/gm)].map(
    ([, name = ""]) => name,
  );

/** Settings of earlier releases. The server warns about them, because it no longer reads them. */
const REMOVED = ["CREATE_KEYS"];

export const varsFrom = (environment: NodeJS.ProcessEnv): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...varNames(), ...REMOVED].flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
