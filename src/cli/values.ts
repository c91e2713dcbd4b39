/** Parses `name=text` and `name:=json` arguments, and JSON files. */
import { readFileSync } from "node:fs";
import type { Json } from "../client/index";
import { UsageError } from "./command";
import { truncate } from "./paint";

export function readValues(args: readonly string[]): Record<string, Json> {
  const values: Record<string, Json> = {};
  for (const arg of args) {
    const [, name = "", kind = "", text = ""] = /^([^=:]+)(:?=)(.*)$/s.exec(arg) ?? [];
    if (name === "") {
      throw new UsageError(
        `"${arg}" is not a value. Write name=text, or name:=json, for example count:=3.`,
      );
    }
    values[name] = kind === "=" ? text : readJson(text, name);
  }
  return values;
}

export function readJson(text: string, name: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new UsageError(`The value of ${name} is not JSON: ${text}`);
  }
}

export function readJsonFile(path: string): Json {
  try {
    return readJson(readFileSync(path, "utf8"), path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`The file ${truncate(path, 200)} cannot be read.`);
  }
}
