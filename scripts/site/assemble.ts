/**
 * Assembles the sources of the site for VitePress: the Markdown of the repository under the paths of the
 * site, with adjusted links, and all other files in `public`. A link to a file that is not part of the
 * site becomes plain text, because it is for readers of the repository.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { DOCS_GROUPS, DOCS_PAGES, type DocsPage } from "./pages.ts";
import { drawSequence } from "./sequence.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Files that the pages link to: pictures, recordings, numbers and examples. */
const ASSET = /^docs\/(?:[a-z]+\/)?[\w-]+\.(?:svg|png|webp|txt|json|cast|py|toml)$/;
const EXAMPLE = /^examples\/[\w-]+\.(?:mjs|sh|py)$/;

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

/** The path of a repository file on the site, or null if it is not part of the site. */
export function sitePathOf(file: string): string | null {
  const page = DOCS_PAGES.find((one) => one.file === file);
  if (page !== undefined) return `/${page.path}`;
  if (ASSET.test(file)) return `/${file.slice("docs/".length)}`;
  return EXAMPLE.test(file) ? `/${file}` : null;
}

/** A page's Markdown with the links of the site, and without the comments for tests. */
export function pageSource({ file }: DocsPage, source: string): string {
  return outsideOfCode(source, (text) =>
    text
      .replaceAll(/^[ \t]*<!--[^]*?-->\n?/gm, "")
      .replaceAll(
        /(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g,
        (whole, mark, linkText, href) => {
          if (/^(?:\w+:|#)/.test(href)) return whole;
          const [path = "", anchor] = String(href).split("#");
          const sitePath = sitePathOf(posix.join(dirname(file), path));
          if (sitePath === null) return mark === "!" ? "" : linkText;
          return `${mark}[${linkText}](${sitePath}${anchor === undefined ? "" : `#${anchor}`})`;
        },
      ),
  );
}

/** Fenced blocks stay unchanged. Inline code may be part of a link's text. */
function outsideOfCode(text: string, change: (part: string) => string): string {
  return text
    .split(/(^[ \t]*```[^]*?^[ \t]*```[ \t]*$)/m)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join("");
}

const diagramsIn = (source: string): readonly string[] =>
  [...source.matchAll(/^```mermaid\n([^]*?)\n```$/gm)].map(([, text = ""]) => text.trim());

/** Writes everything into `folder`, which must be used for nothing else. */
export function assembleSite(folder: string, reader: string): void {
  rmSync(folder, { recursive: true, force: true });
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const diagrams: Record<string, string> = {};
  for (const page of DOCS_PAGES) {
    const source = read(page.file);
    for (const text of diagramsIn(source)) diagrams[text] = drawSequence(text);
    write(`${page.path}.md`, pageSource(page, source));
  }
  for (const top of ["docs", "examples"]) {
    for (const name of readdirSync(join(ROOT, top), { recursive: true, encoding: "utf8" })) {
      const file = posix.join(top, name);
      const sitePath = file.endsWith(".md") ? null : sitePathOf(file);
      if (sitePath !== null) cpSync(join(ROOT, file), join(folder, "public", sitePath));
    }
  }
  const sidebar = DOCS_GROUPS.map(({ title, pages }) => ({
    text: title,
    items: pages.map((page) => ({ text: page.title, link: `/${page.path}` })),
  }));
  write(".vitepress/site.json", JSON.stringify({ sidebar, diagrams }));
  const own = join(ROOT, "site");
  for (const name of ["config.mjs", "search.mjs"]) {
    cpSync(join(own, name), join(folder, ".vitepress", name));
  }
  cpSync(join(own, "theme"), join(folder, ".vitepress/theme"), { recursive: true });
  cpSync(join(own, "public"), join(folder, "public"), { recursive: true });
  cpSync(reader, join(folder, "public/reader/scalar.js"));
}

/** Copies the Markdown source of every page. */
export function copySources(folder: string): void {
  for (const { path, file } of DOCS_PAGES) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, `${path}.md`));
  }
}
