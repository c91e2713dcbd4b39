import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pageSource, sitePathOf } from "../../scripts/site/assemble.ts";
import { drawPictures, recordedTimeline } from "../../scripts/site/draw.ts";
import { CLONE, placeFor, placeIn, stampOfSources } from "../../scripts/site/built.ts";
import { DOCS_PAGES } from "../../scripts/site/pages.ts";
import { temporaryFolder } from "../support/server.ts";
import { drawSequence } from "../../scripts/site/sequence.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const written = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`);

describe("the site", () => {
  it("has every document, in the list of scripts/site/pages.ts", () => {
    const listed = DOCS_PAGES.map(({ file }) => file);

    expect(written.filter((file) => !listed.includes(file))).toEqual([]);
    expect(listed.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    expect(new Set(DOCS_PAGES.map(({ path }) => path)).size).toBe(DOCS_PAGES.length);
  });

  it.each(DOCS_PAGES)("has no broken link in $file", (page) => {
    const links = [...pageSource(page, read(page.file)).matchAll(/\]\((\/[^)#]*)/g)];
    const pagePaths = new Set(DOCS_PAGES.map(({ path }) => `/${path}`));
    const broken = links
      .map(([, target = ""]) => target)
      .filter((target) => !pagePaths.has(target) && !isAsset(target));

    expect(broken).toEqual([]);
  });

  it("has no HTML in its Markdown, which would be shown as text", () => {
    const html = DOCS_PAGES.filter((page) =>
      /^<(?!!--)/m.test(pageSource(page, read(page.file)).replaceAll(/```[^]*?```/g, "")),
    );

    expect(html.map(({ file }) => file)).toEqual([]);
  });
});

it("the site is built in a folder of the server if the clone cannot be written, unless it is current there", () => {
  using data = temporaryFolder();
  // A file at this path stops even root.
  writeFileSync(join(data.path, "clone"), "");
  const clone = placeIn(join(data.path, "clone/below"));
  const other = placeIn(join(data.path, "other"));
  mkdirSync(join(other.site, "docs"), { recursive: true });
  writeFileSync(join(other.site, "docs/index.html"), "");
  writeFileSync(other.stamp, stampOfSources());
  writeFileSync(other.packages, "");

  expect(placeFor(join(data.path, "own"), clone)).toEqual(placeIn(join(data.path, "own")));
  expect(placeFor(join(data.path, "own"), other)).toBe(other);
  writeFileSync(other.stamp, "of older sources");
  expect(placeFor(join(data.path, "own"), other)).toEqual(placeIn(join(data.path, "own")));
  expect(placeFor(join(data.path, "own"))).toBe(CLONE);
});

/** Assets are under docs, and examples are next to it. */
const isAsset = (target: string): boolean =>
  existsSync(join(ROOT, `docs${target}`)) || existsSync(join(ROOT, target));

describe("a page of the site", () => {
  const page = { path: "guides/a", file: "docs/guides/a.md", title: "A" };

  it.each([
    ["a link to another page", "[x](../protocol.md#limits)", "[x](/protocol#limits)"],
    ["a link to a page that is not under docs", "[x](../../README.md)", "[x](/readme)"],
    ["a picture", "![x](../pictures/overview.svg)", "![x](/pictures/overview.svg)"],
    ["an example", "[`x`](../../examples/executor.mjs)", "[`x`](/examples/executor.mjs)"],
    ["a file of the repository only", "[x](../../src/index.ts)", "x"],
    ["an external address", "[x](https://example.com/a.md)", "[x](https://example.com/a.md)"],
    ["an anchor on the same page", "[x](#limits)", "[x](#limits)"],
    ["a comment for the tests", "<!-- answer -->\n\nx", "\nx"],
    ["a block of code", "```md\n[x](../protocol.md)\n```", "```md\n[x](../protocol.md)\n```"],
  ])("renders %s for the site", (_, written, rendered) => {
    expect(pageSource(page, written)).toBe(rendered);
  });

  it("knows the paths of files next to the pages", () => {
    expect(sitePathOf("docs/pictures/live.svg")).toBe("/pictures/live.svg");
    expect(sitePathOf("src/index.ts")).toBeNull();
  });
});

describe("the pictures", () => {
  it.each(Object.entries(drawPictures()))("%s is as the script draws it", (name, svg) => {
    expect(read(`docs/pictures/${name}`)).toBe(svg);
  });

  it("of the timeline have a description, row by row, in docs/timeline.md", () => {
    const rows = [
      ...read("docs/timeline.md").matchAll(/^\| (\d+) +\| `(\S+)` +\| (\S+) +\| `(\S+)` +\|$/gm),
    ].map(([, seq, type, who, state]) => ({ seq: Number(seq), type, who, state }));

    expect(rows).toEqual(
      recordedTimeline().map(({ seq, type, who, state }) => ({ seq, type, who, state })),
    );
  });

  it("load nothing and hold no script", () => {
    for (const [name, svg] of Object.entries(drawPictures())) {
      const inside = svg.replace('xmlns="http://www.w3.org/2000/svg"', "");
      expect(inside, name).not.toMatch(/https?:|href|<script|url\(|@import/);
    }
  });
});

describe("a sequence diagram", () => {
  const source = [
    "sequenceDiagram",
    "participant A as Agent <1>",
    "participant B as Baton",
    "A->>B: a write",
    "B--xA: the answer",
    "B->>B: looks",
    "Note over A,B: both know",
  ];

  it("is drawn with every step, and described in words", () => {
    const drawing = drawSequence(source.join("\n"));

    expect(drawing.match(/<li>.*?<\/li>/g)).toEqual([
      "<li>Agent &lt;1&gt; to Baton: a write</li>",
      "<li>Baton to Agent &lt;1&gt;, lost: the answer</li>",
      "<li>Baton itself: looks</li>",
      "<li>Agent &lt;1&gt; and Baton: both know</li>",
    ]);
    expect(drawing).not.toContain("Agent <1>");
  });

  it.each([
    ["another kind of diagram", ["flowchart TB"]],
    ["a step that is not understood", [...source, "loop forever"]],
    ["an unknown participant", [...source, "C->>A: hello"]],
  ])("with %s is refused when the site is built", (_, lines) => {
    expect(() => drawSequence(lines.join("\n"))).toThrow();
  });
});
