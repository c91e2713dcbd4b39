import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { clausesIn, testsOfClauses } from "../../scripts/reference/clauses.ts";
import { testFiles, writtenPages } from "../../scripts/reference/main.ts";
import { LIMITS } from "../../src/domain/limits.ts";
import { DEFAULT_SETTINGS } from "../../src/domain/settings.ts";
import { STATUS } from "../../src/protocol/problem.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const protocol = read("docs/protocol.md");

const clauses = clausesIn(protocol);
const testsByClause = testsOfClauses(testFiles());

/** First cells of a Markdown table's rows that are set as code, with the second cell. */
const rowsOf = (table: string): readonly (readonly [name: string, value: string])[] =>
  [...table.matchAll(/^\| `([^`]+)` *\| *([^|]*?) *\|/gm)].map(([, name = "", value = ""]) => [
    name,
    value,
  ]);

const section = (text: string, heading: string): string => {
  const [, body] = text.split(`\n${heading}\n`);
  if (body === undefined) throw new Error(`there is no heading "${heading}"`);
  return body.split(/^#{2,3} /m)[0] ?? "";
};

describe("docs/protocol.md", () => {
  it("numbers its clauses without a gap, each number once", () => {
    const numbers = Map.groupBy(clauses, ({ id }) => id.split("-")[0]);

    expect(clauses.length).toBeGreaterThan(0);
    for (const [letter, group] of numbers) {
      const expected = group.map((_, index) => `${letter}-${index + 1}`);
      expect(group.map(({ id }) => id)).toEqual(expected);
    }
  });

  it("has at least one test for every clause", () => {
    expect(clauses.filter(({ id }) => !testsByClause.has(id)).map(({ id }) => id)).toEqual([]);
  });

  it("has every clause that a test refers to", () => {
    const known = new Set(clauses.map(({ id }) => id));

    expect([...testsByClause.keys()].filter((id) => !known.has(id))).toEqual([]);
  });

  it("has an appendix generated from the test files (npm run docs:write)", async () => {
    expect(read("docs/protocol-tests.md")).toBe(
      (await writtenPages()).get("docs/protocol-tests.md"),
    );
  });

  it("lists all of its sections in its contents", () => {
    const sections = [...protocol.matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => heading);
    const [contents = ""] = /^Contents: .*$/m.exec(protocol) ?? [];

    expect([...contents.matchAll(/\(#([^)]+)\)/g)].map(([, anchor]) => anchor)).toEqual(
      anchorsIn(sections.map((heading) => `## ${heading}`).join("\n")),
    );
  });

  it("refers to no clause that it does not have", () => {
    const known = new Set(clauses.map(({ id }) => id));
    const named = [...protocol.matchAll(/(?<![\w*-])([A-Z]-\d+)\b(?!\*)/g)].map(
      ([, id = ""]) => id,
    );

    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((id) => !known.has(id))).toEqual([]);
  });

  it("uses MUST only in clauses", () => {
    const [, afterIntroduction = ""] = protocol.split("\n## Terms\n");
    const rest = clauses.reduce(
      (text, { text: clause }) => text.replace(clause, ""),
      afterIntroduction,
    );

    expect(rest).not.toMatch(/\bMUST\b/);
  });

  it("lists every limit with its value", () => {
    const listed = rowsOf(section(read("docs/limits.md"), "## All limits")).map(([name, value]) => [
      name,
      Number(value.replaceAll(",", "")),
    ]);

    expect(Object.fromEntries(listed)).toEqual(LIMITS);
  });

  it("lists every error code with its status", () => {
    const listed = rowsOf(section(protocol, "## Errors")).map(([code, status]) => [
      code,
      Number(status),
    ]);

    expect(Object.fromEntries(listed)).toEqual(STATUS);
  });
});

describe("docs/storage-schema.md", () => {
  const schema = read("docs/storage-schema.md");
  const statements = [
    "migrations",
    "checkpoint-store",
    "upload-store",
    "job-store",
    "blob-store",
    "private-store",
    "link-directory",
    "miss-store",
    "offer-store",
    "delivery-store",
    "endpoint-row",
    "tombstone",
    "session-list",
    "state-history",
    "redeemed-code-store",
    "template-store",
    "masking-secret",
    "once-store",
    "owner-endpoint-store",
    "trimmed-hashes",
  ]
    .map((name) => read(`src/storage/${name}.ts`))
    .join("\n");
  const addedTo = (table: string): readonly string[] =>
    [...statements.matchAll(/ALTER TABLE (\w+) ADD COLUMN (\w+)/g)]
      .filter(([, name]) => name === table)
      .map(([, , column = ""]) => column);
  const tables = [
    ...statements.matchAll(/CREATE TABLE (\w+) \(([^`]*)\)(?: WITHOUT ROWID)?`/g),
  ].map(([, name = "", body = ""]) => ({
    name,
    columns: [
      ...body
        .replace("${added}", "")
        .replace(/,\s*(?:PRIMARY KEY|UNIQUE) \([^)]*\)/, "")
        .split(",")
        .map((column) => column.trim().split(/\s/)[0] ?? ""),
      ...addedTo(name),
    ],
  }));

  it("names every table and exactly its columns", () => {
    expect(tables.map(({ name }) => name)).toContain("commits");
    for (const { name, columns } of tables) {
      const listed = rowsOf(section(schema, `## \`${name}\``)).map(([column]) => column);
      expect(listed, name).toEqual(columns);
    }
  });

  it("names no table that does not exist", () => {
    const headings = [...schema.matchAll(/^## `(\w+)`$/gm)].map(([, name]) => name);

    expect(headings.toSorted()).toEqual(tables.map(({ name }) => name).toSorted());
  });
});

const days = (ms: number): string => `${ms / 86_400_000} days`;
const many = (count: number): string => count.toLocaleString("en");

it("README.md states the limits as they are", () => {
  const MIB = 1_048_576;
  const listed = [...section(read("README.md"), "## Limits").matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)]
    .map(([, what, limit]) => [what, limit])
    .slice(2);

  expect(listed).toEqual([
    ["a JSON body", `${LIMITS.bodyBytes / MIB} MiB`],
    ["all fields together", `${LIMITS.documentBytes / 1024} KiB`],
    ["one event's payload", `${LIMITS.eventBytes / 1024} KiB`],
    ["events in one append", many(LIMITS.eventsPerAppend)],
    ["one file", `${LIMITS.uploadBytes / MIB} MiB`],
    ["large content, each piece", `${LIMITS.blobBytes / MIB} MiB`],
    ["large content, together", `${LIMITS.blobsBytes / MIB / 1024} GiB`],
    ["participants that can act", many(LIMITS.participants)],
    ["jobs that have not ended", many(LIMITS.jobs)],
    ["connections that follow a session", many(LIMITS.listeners)],
    [
      "life of a session, per create or extend",
      `${days(DEFAULT_SETTINGS.defaultTtlMs)} by default, at most ${days(DEFAULT_SETTINGS.maxTtlMs)}`,
    ],
    ["kept after its end", days(DEFAULT_SETTINGS.retentionMs)],
  ]);
});

it("docs/decisions gives every dependency its reason", () => {
  const record = read("docs/decisions/0003-dependencies.md");
  const { dependencies, devDependencies } = JSON.parse(read("package.json")) as Record<
    "dependencies" | "devDependencies",
    Record<string, string>
  >;
  const names = Object.keys({ ...dependencies, ...devDependencies });

  expect(names.filter((name) => !record.includes(`\`${name}\``))).toEqual([]);
});

const documents = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "examples/README.md",
  "SECURITY.md",
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];

/** Anchors of headings, as common Markdown renderers make them. */
const anchorsIn = (text: string): readonly string[] =>
  [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

describe("links in the documents", () => {
  it.each(documents)("resolve in %s", (document) => {
    const links = [...read(document).matchAll(/\]\((?!\w+:)([^)#]*)(?:#([^)]*))?\)/g)];
    const broken = links
      .map(([, path = "", anchor]) => ({
        target: path === "" ? document : relative(ROOT, join(ROOT, dirname(document), path)),
        anchor,
      }))
      .filter(
        ({ target, anchor }) =>
          !existsSync(join(ROOT, target)) ||
          (anchor !== undefined && !anchorsIn(read(target)).includes(anchor)),
      );

    expect(broken).toEqual([]);
  });

  it("leave no page under docs unreachable from the README", () => {
    const reached = new Set<string>();
    const pending = ["README.md"];
    for (let page = pending.pop(); page !== undefined; page = pending.pop()) {
      if (reached.has(page) || !page.endsWith(".md")) continue;
      reached.add(page);
      for (const [, path = ""] of read(page).matchAll(/\]\((?!\w+:)([^)#]+)/g)) {
        pending.push(relative(ROOT, join(ROOT, dirname(page), path)));
      }
    }

    expect(documents.filter((document) => !reached.has(document))).toEqual([]);
  });
});

describe("docs/questions.md", () => {
  const questions = [...read("docs/questions.md").matchAll(/^\d+\. \*\*(.+?\?)\*\* (.+)$/gm)];

  it("has twenty questions, each with a link to its answer", () => {
    expect(questions).toHaveLength(20);
    const withoutLink = questions.filter(([, , answer = ""]) => !/→ .*\]\([^)]+\)/.test(answer));
    expect(withoutLink.map(([, question]) => question)).toEqual([]);
  });
});

it("code blocks that need bash are marked as bash", () => {
  const needBash = documents.flatMap((document) =>
    [...read(document).matchAll(/^```sh\n([^]*?)^```/gm)]
      .filter(([, code = ""]) => /<<<|\[\[|<\(/.test(code))
      .map(() => document),
  );

  expect(needBash).toEqual([]);
});
