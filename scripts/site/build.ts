/** The site under /docs: every page of the index as HTML, its Markdown beside it, pictures and examples. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { DOCS_GROUPS, DOCS_PAGES, type DocsPage } from "../../src/http/docs-index.ts";
import { renderMarkdown, type Places } from "./markdown.ts";
import { layOut } from "./template.ts";

const ROOT = join(import.meta.dirname, "../..");
/** What stands beside the pages: pictures, recordings and numbers that they lead to. */
const BESIDE = /^docs\/(?:[a-z]+\/)?[\w-]+\.(?:svg|txt|json|cast)$/;

/** Paths as the site is asked for them, with a leading slash. */
export type Site = ReadonlyMap<string, string>;

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

/** Examples are shown as they are. */
const isExample = (file: string): boolean => /^examples\/[\w-]+\.(?:mjs|sh)$/.test(file);

export function buildSite(): Site {
  const site = new Map<string, string>();
  for (const page of DOCS_PAGES) {
    const source = read(page.file);
    const rendered = renderMarkdown(source, placesFrom(page));
    site.set(`/docs/${page.path}.html`, layOut(page, rendered, DOCS_GROUPS));
    site.set(`/docs/${page.path}.md`, source);
  }
  for (const name of readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })) {
    if (BESIDE.test(`docs/${name}`)) site.set(`/docs/${name}`, read(`docs/${name}`));
  }
  for (const name of readdirSync(join(ROOT, "examples"))) {
    if (isExample(`examples/${name}`)) site.set(`/docs/examples/${name}`, read(`examples/${name}`));
  }
  return site;
}

function placesFrom(page: DocsPage): Places {
  const fileOf = (href: string): string => posix.join(dirname(page.file), href);
  return {
    link(href) {
      if (/^https?:/.test(href)) return href;
      const [path = "", anchor] = href.split("#");
      const behind = anchor === undefined ? "" : `#${anchor}`;
      if (path === "") return behind;
      const file = fileOf(path);
      const target = DOCS_PAGES.find((one) => one.file === file);
      if (target !== undefined) return `/docs/${target.path}${behind}`;
      if (isExample(file)) return `/docs/${file}`;
      if (BESIDE.test(file)) return `/${file}`;
      return null;
    },
    picture(href) {
      const file = fileOf(href);
      const [, width, height] =
        BESIDE.test(file) && existsSync(join(ROOT, file))
          ? (/<svg[^>]* width="(\d+)" height="(\d+)"/.exec(read(file)) ?? [])
          : [];
      if (width === undefined || height === undefined) {
        throw new Error(`${page.file} shows ${href}, which is no SVG under docs with a size`);
      }
      return { src: `/${file}`, width: Number(width), height: Number(height) };
    },
  };
}
