/** `name=text` and `name:=json`, and durations, as they are typed. */
import { readFileSync } from "node:fs";
import type { Json } from "../client/index";
import { textOption, UsageError, type Context } from "./command";

export function readValues(words: readonly string[]): Record<string, Json> {
  const values: Record<string, Json> = {};
  for (const word of words) {
    const [, name = "", kind = "", text = ""] = /^([^=:]+)(:?=)(.*)$/s.exec(word) ?? [];
    if (name === "") {
      throw new UsageError(
        `"${word}" is not a value. Write name=text, or name:=json, for example count:=3.`,
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
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new UsageError(`The file ${path} cannot be read.`);
  }
  return readJson(text, path);
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `90s`, `15m`, `12h`, `7d`, or milliseconds. */
export function readDuration(text: string, option: string): number {
  const [, amount = "", unit = "ms"] = /^(\d{1,9})(ms|s|m|h|d)?$/.exec(text) ?? [];
  if (amount === "") {
    throw new UsageError(
      `--${option} takes a duration such as 90s, 15m, 12h or 7d, not "${text}".`,
    );
  }
  return Number(amount) * (UNITS[unit] ?? 1);
}

export function durationOption(context: Context, name: string): number | undefined {
  const text = textOption(context, name);
  return text === undefined ? undefined : readDuration(text, name);
}
