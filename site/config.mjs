/**
 * VitePress as this project uses it. The pages and their order come from site.json, which
 * scripts/site/assemble.ts writes beside them. Nothing is loaded from another host, and no script stands
 * inside a page, so that the strict policy under which the Worker serves them holds.
 */
import { readFileSync } from "node:fs";
import { defineConfig } from "vitepress";
import { isSearched, processIndexTerm } from "./search.mjs";

const { sidebar, diagrams } = JSON.parse(
  readFileSync(new URL("./site.json", import.meta.url), "utf8"),
);

/** VitePress writes two small scripts into each page; they stand in files of their own here. */
const INLINE_SCRIPT = /<script id="(check-dark-mode|check-mac-os)">([^]*?)<\/script>/g;

const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** Clauses of the protocol can be linked to by their number. */
function anchorClauses(md) {
  md.core.ruler.push("clauses", ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type !== "list_item_open") continue;
      const clause = /^\*\*([A-Z]{1,2}-\d+)\*\*/.exec(tokens[index + 2]?.content ?? "")?.[1];
      if (clause !== undefined) token.attrSet("id", clause);
    }
  });
}

/** Sequence diagrams are drawn before, when the pages are assembled. */
function showDiagrams(md) {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index];
    if (info.trim() !== "mermaid") return fence(tokens, index, ...rest);
    const drawn = diagrams[content.trim()];
    if (drawn === undefined) throw new Error("a diagram that was not drawn");
    return `<div v-pre>${drawn}</div>`;
  };
}

/** A decision is found once: its parts are called the same in each. */
const inOnePiece = (source, { relativePath }) =>
  relativePath.startsWith("decisions/") ? source.replaceAll(/^## /gm, "") : source;

/**
 * The index of the search. VitePress would write functions of its options into every page as text, which
 * the policy does not let a browser run; it does not see these. The browser's part is in the theme.
 */
const search = { detailedView: true };
Object.defineProperties(search, {
  _render: {
    value: (source, env, md) =>
      isSearched(env.relativePath) ? md.render(inOnePiece(source, env), env) : "",
  },
  miniSearch: { value: { options: { processTerm: processIndexTerm } } },
});

export default defineConfig({
  base: "/docs/",
  lang: "en",
  title: "Baton",
  titleTemplate: ":title · Baton",
  description: "A place where agent sessions live on",
  cleanUrls: true,
  // By default it is changed with a style element for a moment, which the policy refuses.
  appearance: { disableTransition: false },
  // A test of the documents finds them, with their anchors; a server must not be without its pages for one.
  ignoreDeadLinks: true,
  metaChunk: true,
  markdown: {
    html: false,
    // As readers of the repository's Markdown make them, so that a link to a section leads there on both.
    anchor: { slugify: anchorOf },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config(md) {
      anchorClauses(md);
      showDiagrams(md);
    },
  },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: "local", options: search },
    notFound: {
      title: "This page does not exist",
      quote: "The address may be mistyped or out of date. Search finds every page.",
      linkText: "Go to the start page",
      linkLabel: "Go to the start page",
    },
    nav: [
      { text: "Start", link: "/start" },
      { text: "Guides", link: "/guides/human-in-the-loop", activeMatch: "/guides/" },
      { text: "API", link: "/api", target: "_self" },
      { text: "Events", link: "/events" },
    ],
    externalLinkIcon: true,
  },
  transformHtml: (html) =>
    html.replaceAll(INLINE_SCRIPT, (_, id) => `<script src="/docs/${id}.js"></script>`),
  vite: { build: { chunkSizeWarningLimit: 5000 } },
});
