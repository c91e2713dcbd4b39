import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildSite } from "../../scripts/site/build.ts";
import { drawPictures, recordedTimeline } from "../../scripts/site/draw.ts";
import { renderMarkdown } from "../../scripts/site/markdown.ts";
import { drawSequence } from "../../scripts/site/sequence.ts";
import { DOCS_PAGES } from "../../src/http/docs-index.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const site = buildSite();

const written = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`);

const pages = [...site].filter(([path]) => path.endsWith(".html"));
const idsIn = (html: string): readonly string[] =>
  [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id);

describe("the site", () => {
  it("has every document, in the list of src/http/docs-index.ts", () => {
    const listed = DOCS_PAGES.map(({ file }) => file);

    expect(written.filter((file) => !listed.includes(file))).toEqual([]);
    expect(listed.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    expect(new Set(DOCS_PAGES.map(({ path }) => path)).size).toBe(DOCS_PAGES.length);
  });

  it.each(pages)("leads nowhere in vain from %s", (_, html) => {
    const broken = [...html.matchAll(/ (?:href|src)="([^"]*)"/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !leads(target, html));

    expect(broken).toEqual([]);
  });

  it.each(pages)("gives every id once in %s", (_, html) => {
    const ids = idsIn(html);

    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it("names no file of the repository that does not exist", () => {
    const named = pages.flatMap(([path, html]) =>
      [...html.matchAll(/class="file" title="([^"]+), in the repository"/g)].map(
        ([, href = ""]) => ({ path, href }),
      ),
    );
    const sources = new Map(DOCS_PAGES.map(({ path, file }) => [`/docs/${path}.html`, file]));
    const missing = named.filter(
      ({ path, href }) => !existsSync(join(ROOT, sources.get(path) ?? "", "..", href)),
    );

    expect(named.length).toBeGreaterThan(0);
    expect(missing).toEqual([]);
  });
});

/** Pages served by the Worker itself. */
const SERVED = new Set(["/", "/docs", "/docs/style.css", "/openapi.json"]);

/** Other hosts are not asked here, only whether the address is one. */
function leads(target: string, html: string): boolean {
  if (target.startsWith("https://")) return URL.canParse(target);
  const [path = "", anchor] = target.split("#");
  const page = path === "" ? html : (site.get(path) ?? site.get(`${path}.html`));
  if (page === undefined) return SERVED.has(path) && anchor === undefined;
  return anchor === undefined || idsIn(page).includes(anchor);
}

describe("the pictures", () => {
  it.each(Object.entries(drawPictures()))("%s is as the script draws it", (name, svg) => {
    expect(read(`docs/pictures/${name}`)).toBe(svg);
  });

  it("of the timeline has its words, row by row, in docs/timeline.md", () => {
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

describe("Markdown", () => {
  const places = {
    link: (href: string) => href,
    picture: () => ({ src: "/x.svg", width: 1, height: 1 }),
  };
  const html = (text: string): string => renderMarkdown(text, places).html;

  it("of a document never brings HTML of its own into a page", () => {
    expect(() => html("<b onclick=x>a</b>")).toThrow("HTML in Markdown");
    expect(() => html("a <script>x</script>")).toThrow("HTML in Markdown");
    expect(html("`<b>` and\n\n```sh\n<b>\n```")).not.toContain("<b>");
  });

  it("shows why a block is not run", () => {
    const page = html("<!-- not run: needs an account -->\n\n```sh\na\n```\n\n```sh\nb\n```\n");

    expect(page.match(/<figcaption>.*<\/figcaption>/g)).toEqual([
      "<figcaption>Not run as it stands: needs an account</figcaption>",
    ]);
  });

  it("gives headings of the same name anchors of their own", () => {
    expect(renderMarkdown("## A b\n\n## A b\n", places).headings.map(({ id }) => id)).toEqual([
      "a-b",
      "a-b-1",
    ]);
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

  it("is drawn with every step, and said in words", () => {
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
    ["somebody unknown", [...source, "C->>A: hello"]],
  ])("with %s is refused when the site is built", (_, lines) => {
    expect(() => drawSequence(lines.join("\n"))).toThrow();
  });
});
