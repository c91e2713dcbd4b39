/** What stands around every page of the site: no script, and nothing that another host serves. */
import type { DocsGroup, DocsPage } from "../../src/http/docs-index.ts";
import { escapeHtml, type Rendered } from "./markdown.ts";

/** Pages with fewer sections than this are seen at a glance. */
const SECTIONS_WORTH_A_LIST = 4;

export function layOut(page: DocsPage, rendered: Rendered, groups: readonly DocsGroup[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)} · Baton</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body class="page">
<a class="skip" href="#main">Skip to the text</a>
<header class="top"><a class="brand" href="/">Baton</a><a href="/docs">API</a><a href="#pages">All pages</a></header>
<main id="main">
${rendered.html.replace("</h1>\n", `</h1>\n${contents(rendered)}`)}
<p class="source"><a href="/docs/${page.path}.md">This page as Markdown</a></p>
</main>
<nav id="pages" aria-label="All pages">
${groups.map((group) => listOf(group, page)).join("\n")}
</nav>
</body>
</html>
`;
}

function contents({ headings }: Rendered): string {
  const sections = headings.filter(({ depth }) => depth === 2);
  if (sections.length < SECTIONS_WORTH_A_LIST) return "";
  const items = sections.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`);
  return `<details class="contents"><summary>On this page</summary><ul>${items.join("")}</ul></details>\n`;
}

const listOf = ({ title, pages }: DocsGroup, current: DocsPage): string =>
  `<h2>${escapeHtml(title)}</h2>\n<ul>${pages
    .map(
      (page) =>
        `<li><a href="/docs/${page.path}"${page === current ? ' aria-current="page"' : ""}>${escapeHtml(page.title)}</a></li>`,
    )
    .join("")}</ul>`;
