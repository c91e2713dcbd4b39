/** Everything that the documents name exists: scripts, commands, routes, files, events, codes, settings. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readEventCatalog } from "../../scripts/reference/events.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { isServerType } from "../../src/domain/log/event.ts";
import { STATUS } from "../../src/protocol/problem.ts";
import { methodsAt } from "../../src/protocol/routes.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** Decisions and changes describe the past. */
const documents = globSync(["*.md", "docs/*.md", "docs/guides/*.md", "examples/*.md"], {
  cwd: ROOT,
}).filter((name) => name !== "CHANGELOG.md");

const codeIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);

const everywhere = (find: (text: string) => readonly string[]): readonly string[] =>
  documents.flatMap((name) => find(read(name)).map((found) => `${name}: ${found}`));

describe("the documents name only", () => {
  it("scripts that package.json has", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const named = everywhere((text) =>
      [...text.matchAll(/npm run ([\w:-]+)/g)]
        .map(([, name = ""]) => name)
        .filter((name) => !(name in scripts)),
    );

    expect(named).toEqual([]);
  });

  it("commands that baton has", () => {
    const known = new Set(COMMANDS.map(({ name }) => name));
    const named = everywhere((text) =>
      [...text.matchAll(/(?:`|^\$ |^)baton ([a-z][a-z-]+)/gm)]
        .map(([, name = ""]) => name)
        .filter((name) => !known.has(name)),
    );

    expect(known.size).toBeGreaterThan(20);
    expect(named).toEqual([]);
  });

  it("routes that the server has, with a method they take", () => {
    const named = everywhere((text) =>
      codeIn(text)
        .flatMap((code) => {
          const [, method = "", path = ""] =
            /^(GET|POST|PATCH|PUT|DELETE) ([/…][^\s?]*)/.exec(code) ?? [];
          return method === "" ? [] : [{ code, method, path }];
        })
        // The examples of how to add an operation are two that are not there.
        .filter(({ path }) => path !== "…/actors" && path !== "…/remark")
        .filter(({ method, path }) => {
          const whole = path.startsWith("…") ? path.replace("…", "/sessions/x") : path;
          const filled = whole.replaceAll(/\{\w+\}|:\w+|…|<\w+>/g, "x");
          return !methodsAt(filled).includes(method);
        })
        .map(({ code }) => code),
    );

    expect(named).toEqual([]);
  });

  it("files that the repository has", () => {
    const named = everywhere((text) =>
      codeIn(text).filter(
        (code) =>
          /^(?:src|scripts|test|docs|examples|deploy|site)\/[\w./-]+\.(?:tsx?|m?js|md|json|toml|ya?ml|sh|py)$/.test(
            code,
          ) && !existsSync(join(ROOT, code)),
      ),
    );

    expect(named).toEqual([]);
  });

  it("events that the server writes", () => {
    const known = new Set(readEventCatalog().map(({ type }) => type));
    const pages = ["protocol", "events", "notices", "handoff", "timeline", "evidence"];
    const named = pages.flatMap((page) =>
      codeIn(read(`docs/${page}.md`)).filter(
        (code) => /^[a-z]+\.[a-z_]+$/.test(code) && isServerType(code) && !known.has(code),
      ),
    );

    // The marker of a stream is not an event of the log.
    expect([...new Set(named)].filter((code) => code !== "replay.done")).toEqual([]);
  });

  it("codes with the status that they have", () => {
    const named = everywhere((text) =>
      [...text.matchAll(/\b([45]\d\d) `([a-z_]+)`/g)]
        .filter(([, status, code = ""]) => STATUS[code as keyof typeof STATUS] !== Number(status))
        .map(([whole]) => whole),
    );

    expect(named).toEqual([]);
  });

  it("settings that the server, its scripts or the command line read", () => {
    const sources = globSync(
      ["src/**/*.ts", "scripts/**/*.{ts,mjs}", "wrangler.toml", "clients/python/src/**/*.py"],
      { cwd: ROOT },
    )
      .map(read)
      .join("\n");
    const pages = ["docs/operations.md", "docs/owners.md", "docs/abuse.md", "docs/cli.md"].concat([
      "docs/guides/self-hosting.md",
      "docs/guides/deploy.md",
      "docs/questions.md",
    ]);
    const named = pages.flatMap((page) =>
      codeIn(read(page)).filter(
        (code) => /^[A-Z][A-Z]+(?:_[A-Z]+)+$/.test(code) && !sources.includes(code),
      ),
    );

    expect(named).toEqual([]);
  });
});
