/**
 * Runs the commands that the documents tell a reader to type, against a server as `npm start`
 * serves it. A block that is neither run nor marked with its reason fails
 * (test/support/docs/blocks.ts has the marks).
 */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { blocksIn, blocksOf, documents, locationOf, type Block } from "../support/docs/blocks.ts";
import { Shell } from "../support/docs/shell.ts";
import { formOf, Person } from "../support/person.ts";
import { ROOT, sharedServer, temporaryFolder } from "../support/server.ts";

const ADDRESS = "http://localhost:8787";
const SHELLS = new Set(["sh", "bash"]);
const PROGRAMS: Readonly<Record<string, string>> = { js: "mjs", mjs: "mjs", ts: "mts" };
/** Not commands: figures in text, and diagrams, which the site draws or refuses to build. */
const FIGURES = new Set(["text", "mermaid"]);

/** Documents with handoffs to people that are still open at the end. */
const TO_PEOPLE = new Set(["README.md", "docs/handoff.md"]);

const data = temporaryFolder();
const server = sharedServer();
afterAll(() => data[Symbol.dispose]());

class Reader {
  readonly #shell: Shell;
  readonly #outputs: string[] = [];
  #program = "";

  constructor(name: string) {
    const folder = join(data.path, name.replaceAll("/", "-"));
    mkdirSync(folder);
    this.#shell = new Shell(folder, server.url);
  }

  end(): Promise<void> {
    return this.#shell.end();
  }

  async run(block: Block, next: Block | undefined): Promise<void> {
    const text = block.text.replaceAll(ADDRESS, server.url);
    if (block.person !== null) await this.#actAsPerson(block.person);
    if (block.isOutput) return expectLike(this.#outputs.at(-1) ?? "", text);
    if (block.isAnswer) return expectMembers(parse(this.#outputs.at(-1) ?? ""), JSON.parse(text));
    if (SHELLS.has(block.language)) {
      this.#outputs.push(await this.#shell.run(text));
    } else if (block.language === "console") {
      for (const { command, output } of commandsOf(text)) {
        const printed = await this.#shell.run(command);
        this.#outputs.push(printed);
        expectLike(printed, output);
      }
    } else if (block.language in PROGRAMS) {
      // A block without an import continues the program before it.
      const continues = !/^import /m.test(text);
      this.#program = continues ? `${this.#program}\n${text}` : text;
      const isComplete = !(next !== undefined && isProgram(next) && !/^import /m.test(next.text));
      if (!isComplete) return;
      const name = `program-${block.line}.${PROGRAMS[block.language]}`;
      this.#outputs.push(await this.#shell.runNode(name, this.#program));
    } else throw new Error("neither run nor marked, as test/support/docs/blocks.ts says");
  }

  /** The links to people that are still open at the end: each leads to a page with a form. */
  async answerLinks(): Promise<readonly string[]> {
    const codes = new Set(
      [...this.#outputs.join("\n").matchAll(/\/h\/([\dA-Z]{4}-[\dA-Z-]+)/g)].map(
        ([, code = ""]) => code,
      ),
    );
    const answered: string[] = [];
    for (const code of codes) {
      const person = new Person(fetch, server.url);
      const { status, html } = await person.open(code, "Ada");
      // Some were withdrawn, or their session ended, later in the document.
      if (status !== 200 || !html.includes('id="form"')) continue;
      const isDecision = html.includes('value="approve"');
      const empty = Object.entries(formOf(html)).filter(
        ([name, text]) => name.startsWith("f/") && text === "",
      );
      if (!isDecision) expect(html, `${code} has nothing to answer`).toContain('name="f/');
      const inputs = Object.fromEntries(empty.map(([name]) => [name, "Ada"]));
      const sent = await person.press(code, html, isDecision ? "approve" : "submit", inputs);
      expect([code, sent.html.includes("Thank you"), problemsIn(sent.html)]).toEqual([
        code,
        true,
        "",
      ]);
      answered.push(code);
    }
    return answered;
  }

  async #actAsPerson({ button, inputs }: NonNullable<Block["person"]>): Promise<void> {
    const code = [...this.#outputs.join("\n").matchAll(/\/h\/([\w-]+)/g)].at(-1)?.[1];
    if (code === undefined) throw new Error("no link was printed for the person to open");
    const person = new Person(fetch, server.url);
    const { html } = await person.open(code, "Ada");
    const fields = Object.entries(inputs).map(([name, value]) => [
      name.replace(/^(?!comment$|reason$)/, "f/"),
      value,
    ]);
    const { status } = await person.press(code, html, button, Object.fromEntries(fields));
    expect(status).toBe(200);
  }
}

const problemsIn = (html: string): string =>
  /<section class="problems"[^]*?<\/section>/.exec(html)?.[0] ?? "";

const isProgram = ({ language, notRun, runBy }: Block): boolean =>
  language in PROGRAMS && notRun === null && runBy === null;

const commandsOf = (text: string): readonly { command: string; output: string }[] =>
  text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [, command = "", output = ""] = /^((?:.*\\\n)*.*)\n?([^]*)$/.exec(part) ?? [];
      return { command, output };
    });

const clean = (text: string): string => text.replaceAll(/[ \t]+$/gm, "").trim();

/** … matches anything: within a line or, alone on a line, several lines. */
function expectLike(output: string, shown: string): void {
  const pattern = clean(shown)
    .split("…")
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("[^]*?");
  expect(clean(output)).toMatch(new RegExp(`^${pattern}$`));
}

function expectMembers(real: unknown, shown: unknown, path = "$"): void {
  expect(kindOf(real), path).toBe(kindOf(shown));
  if (Array.isArray(shown)) {
    for (const [index, one] of shown.entries()) {
      expectMembers((real as unknown[])[index], one, `${path}[${index}]`);
    }
  } else if (kindOf(shown) === "object") {
    for (const [name, one] of Object.entries(shown as object)) {
      expectMembers((real as Record<string, unknown>)[name], one, `${path}.${name}`);
    }
  } else if (typeof shown === "string") expectLike(real as string, shown);
  else expect(real, path).toBe(shown);
}

const kindOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

const parse = (output: string): unknown => JSON.parse(output.slice(output.indexOf("{")));

describe("the blocks of", () => {
  it.concurrent.each(documents.filter((name) => blocksOf(name).length > 0))(
    "%s",
    { timeout: 600_000 },
    async (name) => {
      const blocks = blocksOf(name);
      const reader = new Reader(name);
      try {
        for (const [index, block] of blocks.entries()) {
          if (FIGURES.has(block.language) && !block.isOutput) continue;
          if (block.notRun !== null) {
            if (block.language === "json") JSON.parse(block.text);
            continue;
          }
          if (block.runBy !== null) {
            expect(existsSync(join(ROOT, block.runBy)), locationOf(block)).toBe(true);
            const names = readFileSync(join(ROOT, block.runBy), "utf8").includes(name);
            expect(names, `${block.runBy} takes it from ${locationOf(block)}`).toBe(true);
            continue;
          }
          try {
            await reader.run(block, blocks[index + 1]);
          } catch (error) {
            throw new Error(
              `${locationOf(block)}: ${error instanceof Error ? error.message : error}`,
              {
                cause: error,
              },
            );
          }
        }
        const answered = await reader.answerLinks();
        if (TO_PEOPLE.has(name)) expect(answered, "links to people").not.toEqual([]);
      } finally {
        await reader.end();
      }
    },
  );
});

describe("a block", () => {
  it("that is neither run nor marked is refused", async () => {
    const [block] = blocksIn("x.md", "```toml\na = 1\n```\n");
    const reader = new Reader("refused");

    await expect(reader.run(block as Block, undefined)).rejects.toThrow("neither run nor marked");
  });

  it("with a command that fails, or with other output than shown, is refused", async () => {
    const reader = new Reader("wrong");
    const [failing, misleading] = blocksIn(
      "x.md",
      "```sh\nfalse\n```\n\n```console\n$ echo a\nb\n```\n",
    );

    await expect(reader.run(failing as Block, undefined)).rejects.toThrow("a command failed");
    const other = new Reader("lying");
    await expect(other.run(misleading as Block, undefined)).rejects.toThrow();
    await other.end();
  });

  it("that shows an answer which the server does not give is refused", () => {
    expect(() => expectMembers({ a: 1 }, { a: 1, b: 2 })).toThrow();
    expect(() => expectMembers({ a: "x1" }, { a: "x…" })).not.toThrow();
    expect(() => expectMembers({ a: "y" }, { a: "x…" })).toThrow();
  });
});
