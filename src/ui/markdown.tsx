/**
 * Shows untrusted Markdown safely: paragraphs, headings, lists, emphasis, code and links to https. The
 * renderer escapes all text, so no markup of the author reaches the page.
 */
import type { Child } from "hono/jsx";

export function Markdown({ text }: { readonly text: string }) {
  const blocks = text.replaceAll("\r\n", "\n").split(/\n{2,}/);
  return (
    <div class="markdown" dir="auto">
      {blocks.map((block) => (
        <Block text={block.trim()} />
      ))}
    </div>
  );
}

function Block({ text }: { readonly text: string }) {
  const heading = /^#{1,6} (.+)$/.exec(text);
  if (heading !== null) return <p class="label">{inline(heading[1] ?? "")}</p>;
  const lines = text.split("\n");
  if (lines.every((line) => /^[-*] /.test(line))) {
    return (
      <ul>
        {lines.map((line) => (
          <li>{inline(line.slice(2))}</li>
        ))}
      </ul>
    );
  }
  if (lines.every((line) => /^\d+[.)] /.test(line))) {
    return (
      <ol>
        {lines.map((line) => (
          <li>{inline(line.replace(/^\d+[.)] /, ""))}</li>
        ))}
      </ol>
    );
  }
  return <p class="value">{inline(text)}</p>;
}

/**
 * No part may contain the character that it starts with. Each character is then tried a few times at
 * most, so a text of brackets costs no more than any other.
 */
const INLINE =
  /\*\*([^*]{1,500})\*\*|\*([^*]{1,500})\*|`([^`]{1,500})`|\[([^[\]]{1,300})\]\((https:\/\/[^\s()[\]]{1,500})\)/;

/** Text without marks is unchanged. */
function inline(text: string): Child[] {
  const parts: Child[] = [];
  let rest = text;
  for (let match = INLINE.exec(rest); match !== null; match = INLINE.exec(rest)) {
    const [whole, strong, soft, code, label, href] = match;
    parts.push(rest.slice(0, match.index));
    if (strong !== undefined) parts.push(<b>{strong}</b>);
    else if (soft !== undefined) parts.push(<em>{soft}</em>);
    else if (code !== undefined) parts.push(<code>{code}</code>);
    else {
      parts.push(
        <a href={href ?? ""} rel="noopener noreferrer nofollow" target="_blank">
          {label}
        </a>,
      );
    }
    rest = rest.slice(match.index + whole.length);
  }
  return [...parts, rest];
}
