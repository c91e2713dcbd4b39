/** Markdown to the HTML of a page: links and pictures led to where the site has them, no foreign HTML. */
import { Marked, type Tokens } from "marked";
import { drawSequence } from "./sequence.ts";

interface Heading {
  readonly id: string;
  readonly text: string;
  readonly depth: number;
}

export interface Rendered {
  readonly html: string;
  readonly headings: readonly Heading[];
}

export interface Places {
  /** Where the site has what a link leads to, or null where it has not. */
  link(href: string): string | null;
  picture(href: string): { readonly src: string; readonly width: number; readonly height: number };
}

export const escapeHtml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

/** As the usual Markdown readers make anchors of headings. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** The reason in `<!-- not run: reason -->`, which stands right above a block. */
const reasonNotRun = (html: string): string | null =>
  /^<!-- not run: (.+?) -->/s.exec(html.trim())?.[1] ?? null;

export function renderMarkdown(text: string, places: Places): Rendered {
  const headings: Heading[] = [];
  const notes = new Map<Tokens.Code, string>();
  const printed = new Set<Tokens.Code>();
  const taken = new Map<string, number>();

  const idOf = (heading: string): string => {
    const id = anchorOf(heading);
    const before = taken.get(id) ?? 0;
    taken.set(id, before + 1);
    return before === 0 ? id : `${id}-${before}`;
  };

  const marked = new Marked({
    renderer: {
      heading({ tokens, text, depth }) {
        const plain = text.replaceAll(/[`*]/g, "");
        const id = idOf(plain);
        headings.push({ id, text: plain, depth });
        const inner = this.parser.parseInline(tokens);
        return depth === 1
          ? `<h1 id="${id}">${inner}</h1>\n`
          : `<h${depth} id="${id}">${inner} <a class="anchor" href="#${id}" aria-label="Link to: ${escapeHtml(plain)}">#</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const target = places.link(href);
        return target === null
          ? `<span class="file" title="${escapeHtml(href)}, in the repository">${inner}</span>`
          : `<a href="${escapeHtml(target)}">${inner}</a>`;
      },
      image({ href, text }) {
        const { src, width, height } = places.picture(href);
        return `<span class="picture" tabindex="0" role="group" aria-label="Picture"><img src="${src}" width="${width}" height="${height}" alt="${escapeHtml(text)}"></span>`;
      },
      code(token) {
        if (token.lang === "mermaid") return drawSequence(token.text);
        const note = notes.get(token);
        const look = printed.has(token) ? ' class="output"' : "";
        const pre = `<pre${look} tabindex="0"><code>${escapeHtml(token.text)}</code></pre>\n`;
        return note === undefined
          ? pre
          : `<figure>${pre}<figcaption>Not run as it stands: ${escapeHtml(note)}</figcaption></figure>\n`;
      },
      codespan({ text }) {
        const look = /^test\/\S+ › /.test(text) ? ' class="proof"' : "";
        return `<code${look}>${escapeHtml(text)}</code>`;
      },
      listitem(item) {
        const [, clause] = /^\*\*([A-Z]-\d+)\*\*/.exec(item.text) ?? [];
        const id = clause === undefined ? "" : ` id="${clause}"`;
        return `<li${id}>${this.parser.parse(item.tokens)}</li>\n`;
      },
      html({ text }) {
        if (!text.trim().startsWith("<!--")) throw new Error(`HTML in Markdown: ${text}`);
        return "";
      },
    },
  });

  const tokens = marked.lexer(text);
  for (const [index, token] of tokens.entries()) {
    if (token.type !== "code") continue;
    const before = tokens.slice(0, index).findLast(({ type }) => type !== "space");
    if (before?.type !== "html") continue;
    const reason = reasonNotRun(before.raw);
    if (reason !== null) notes.set(token as Tokens.Code, reason);
    if (/^<!-- (?:output|answer) -->/.test(before.raw)) printed.add(token as Tokens.Code);
  }
  const html = marked
    .parser(tokens)
    .replaceAll(
      /<table>[^]*?<\/table>/g,
      (table) => `<div class="table" tabindex="0" role="group" aria-label="Table">${table}</div>`,
    );
  return { html, headings };
}
