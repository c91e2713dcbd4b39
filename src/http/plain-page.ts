/** A short HTML page for browsers if there is nothing else to show: no script, no other file. */
const HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
  Vary: "Accept",
} as const;

const STYLE =
  "body{font:1.0625rem/1.55 system-ui,sans-serif;max-width:36rem;margin:3rem auto;padding:0 1rem}" +
  ":root{color-scheme:light dark}a{color:LinkText}";

/** The texts are constants of this server: they must never contain a part of a request. */
interface PlainPage {
  readonly title: string;
  readonly text: string;
  readonly status: number;
}

export const answerPlainPage = (
  { title, text, status }: PlainPage,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  new Response(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Baton</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
<p><a href="/">Front page</a> · <a href="/docs">Documentation</a> · <a href="/h">Enter a code</a></p>
</main>
</body>
</html>
`,
    { status, headers: { ...HEADERS, ...headers } },
  );

export const NOT_FOUND_PAGE: PlainPage = {
  title: "This page does not exist",
  text: "The address may be mistyped or out of date. If somebody sent you a link, copy it whole, or enter its code.",
  status: 404,
};

/** Is the client a browser? Programs accept JSON or anything. */
export const acceptsHtml = (headers: Headers): boolean =>
  /\btext\/html\b/i.test(headers.get("Accept") ?? "");
