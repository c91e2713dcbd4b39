/** The HTML frame of every page and its headers: no inline script or style, nothing from other sites. */
import type { Child } from "hono/jsx";
import { STYLE_PATH } from "./style";
import { LANGUAGES, readerOf, type Reader } from "./words/index";

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": CONTENT_SECURITY_POLICY,
  "X-Content-Type-Options": "nosniff",
  // Not no-referrer: browsers would then send forms with `Origin: null`.
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
  "X-Robots-Tag": "noindex, nofollow",
  "Cache-Control": "no-store",
};

interface LayoutProps {
  readonly title: string;
  readonly reader?: Reader;
  readonly script?: string;
  /** The path of the same page, for the links to other languages. */
  readonly href?: string;
  /** Set on <main>, for the page's script. */
  readonly data?: Readonly<Record<string, string>>;
  readonly children?: Child;
}

export function Layout({ title, reader, script, href, data = {}, children }: LayoutProps) {
  return (
    <Document title={title} reader={reader ?? readerOf("en")} script={script}>
      <body>
        <main {...data}>{children}</main>
        {reader !== undefined && (
          <Languages reader={reader} hrefOf={(tag) => `${href ?? ""}?lang=${tag}`} />
        )}
      </body>
    </Document>
  );
}

interface DocumentProps {
  readonly title: string;
  readonly reader: Reader;
  readonly script?: string | undefined;
  /** A second style sheet, after the one of all pages. */
  readonly style?: string;
  /** Its body. */
  readonly children?: Child;
}

export function Document({ title, reader, script, style, children }: DocumentProps) {
  return (
    <html lang={reader.language} dir={reader.words.direction}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Baton`}</title>
        <link rel="stylesheet" href={STYLE_PATH} />
        {style !== undefined && <link rel="stylesheet" href={style} />}
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        {script !== undefined && <script src={script} defer></script>}
      </head>
      {children}
    </html>
  );
}

interface LanguagesProps {
  readonly reader: Reader;
  readonly hrefOf: (tag: string) => string;
}

/** Links to the same page in each language. */
export function Languages({ reader: { words: pageWords, language }, hrefOf }: LanguagesProps) {
  return (
    <nav class="languages" aria-label={pageWords.page.languages}>
      {Object.entries(LANGUAGES).map(([tag, words]) => (
        <a
          href={hrefOf(tag)}
          lang={tag}
          hreflang={tag}
          dir={words.direction}
          {...(tag === language ? { "aria-current": "true" as const } : {})}
        >
          {words.language}
        </a>
      ))}
    </nav>
  );
}

export async function answerPage(
  page: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const text = `<!doctype html>${String(await page)}`;
  return new Response(text, { status, headers: { ...PAGE_HEADERS, ...headers } });
}
