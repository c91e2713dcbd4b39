/** Options of commands and numbers in sentences: the documents name those that the code has. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HELP } from "../../scripts/serve-help.mjs";
import { COMMANDS } from "../../src/cli/commands.ts";
import { GLOBAL_OPTIONS } from "../../src/cli/global-options.ts";
import { LIMITS } from "../../src/domain/limits.ts";
import { DEFAULT_SETTINGS } from "../../src/domain/settings.ts";

const ROOT = join(import.meta.dirname, "../..");
const KIB = 1024;
const MIB = 1024 * KIB;
const DAY_MS = 86_400_000;

/** Decisions and changes describe the past. */
const documents = globSync(["*.md", "docs/*.md", "docs/guides/*.md", "examples/*.md"], {
  cwd: ROOT,
})
  .filter((name) => name !== "CHANGELOG.md")
  .map((name) => ({ name, text: readFileSync(join(ROOT, name), "utf8") }));

/** What a reader types: lines of code blocks without shell comments, and inline code. */
const typedIn = (text: string): readonly string[] => [
  ...[...text.matchAll(/^```(?:sh|bash|console)\n([^]*?)^```/gm)].flatMap(([, block = ""]) =>
    block
      .replaceAll("\\\n", " ")
      .split("\n")
      .map((line) => line.replace(/ # .*$/, "")),
  ),
  ...[...text.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code),
];

/** What follows ` -- ` are options of the program that is run. A quoted text has no options. */
const optionsIn = (line: string): readonly string[] =>
  [
    ...line
      .replaceAll(/'[^']*'|"[^"]*"/g, "")
      .replace(/ -- .*/, "")
      .matchAll(/(?:^|\s)--([a-z][a-z-]*)/g),
  ].map(([, name = ""]) => name);

describe("the documents name only", () => {
  it("options that the command of baton takes", () => {
    const named = documents.flatMap(({ name, text }) =>
      typedIn(text).flatMap((line) =>
        [...line.matchAll(/(?:^|\$ |[;|&(] ?|\s)baton ([a-z][a-z-]+)([^|;&]*)/g)].flatMap(
          ([, command = "", rest = ""]) => {
            const found = COMMANDS.find((one) => one.name === command);
            if (found === undefined) return [];
            const known = { ...GLOBAL_OPTIONS, ...found.options };
            return optionsIn(rest).map((option) => ({
              where: `${name}: baton ${command} --${option}`,
              isKnown: option in known,
            }));
          },
        ),
      ),
    );

    expect(named.length).toBeGreaterThan(40);
    expect(named.filter(({ isKnown }) => !isKnown).map(({ where }) => where)).toEqual([]);
  });

  it("options that npm start takes", () => {
    const named = documents.flatMap(({ name, text }) =>
      typedIn(text).flatMap((line) =>
        [...line.matchAll(/npm start -- ([^|;&]*)/g)].flatMap(([, rest = ""]) =>
          optionsIn(rest).map((option) => ({ where: `${name}: --${option}`, option })),
        ),
      ),
    );

    expect(named.length).toBeGreaterThan(2);
    const unknown = named.filter(
      ({ option }) => option !== "help" && !new RegExp(`^  --${option}\\b`, "m").test(HELP),
    );
    expect(unknown.map(({ where }) => where)).toEqual([]);
  });
});

const many = (count: number): string => count.toLocaleString("en");

/** A sentence, with the number left out, and the number that the code has. */
const STATED: readonly (readonly [sentence: RegExp, value: string])[] = [
  [/up to ([\d,]+) events\)/g, many(LIMITS.eventsPerAppend)],
  [/One response contains at most ([\d,]+) events/g, many(LIMITS.pageEvents)],
  [/at most `limit` events \(1 to ([\d,]+),/g, many(LIMITS.replayEvents)],
  [/with at most `limit` events .* by default ([\d,]+)\)/g, many(LIMITS.pageEventsDefault)],
  [/about ([\d.]+) MiB of them\. Reading on/g, String(LIMITS.replayBytes / MIB)],
  [/payload can be up to (\d+) KiB/g, String(LIMITS.eventBytes / KIB)],
  [
    /private values of a session together can use at most (\d+) KiB/g,
    `${LIMITS.privateBytes / KIB}`,
  ],
  [/`labels`, up to (\d+) names/g, String(LIMITS.labels)],
  [/`labels` \(up to (\d+)\)/g, String(LIMITS.labels)],
  [/any of the newest (\d+) versions/g, String(LIMITS.templateVersions)],
  [/empty page after at most (\d+) seconds/g, String(LIMITS.waitMs / 1000)],
  [/`waitMs` \(at most ([\d,]+)\)/g, many(LIMITS.waitMs)],
  [/longer than (\d+) characters or contains anything/g, String(LIMITS.idempotencyKeyLength)],
  [/A key shorter than (\d+) characters MUST/g, String(LIMITS.createKeyMinLength)],
  [/at least (\d+) characters, because anyone/g, String(LIMITS.createKeyMinLength)],
  [/accept request bodies of (\d+) MiB/g, String(LIMITS.uploadBytes / MIB)],
  [/A body of more than (\d+) MiB/g, String(LIMITS.bodyBytes / MIB)],
  [/A body is at most (\d+) KB/g, String(LIMITS.webhookBytes / KIB)],
  [/nesting deeper than (\d+)/g, String(LIMITS.jsonDepth)],
  [/expires after (\d+) days unless/g, String(DEFAULT_SETTINGS.defaultTtlMs / DAY_MS)],
  [/can be read for (\d+) more days/g, String(DEFAULT_SETTINGS.retentionMs / DAY_MS)],
  [/`ttlMs` is from 1 s to (\d+) days/g, String(DEFAULT_SETTINGS.maxTtlMs / DAY_MS)],
  [/are kept for (\d+) days after their end/g, String(DEFAULT_SETTINGS.retentionMs / DAY_MS)],
  [/the keys of a claim's last (\d+) batches/g, String(LIMITS.jobBatches)],
  [/for the session's last ([\d,]+) commits/g, many(LIMITS.appendMemory)],
];

describe("a number in a sentence of the documents", () => {
  it.each(STATED)("is the one that the code has: %s", (sentence, value) => {
    const stated = documents.flatMap(({ text }) =>
      [...text.matchAll(sentence)].map(([, number]) => number),
    );

    expect(stated.length, "no document has this sentence any more").toBeGreaterThan(0);
    expect(new Set(stated)).toEqual(new Set([value]));
  });
});
