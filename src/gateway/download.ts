/** A file on its way out: always to be saved, never to be run by the browser that asked for it. */
import type { Download } from "./uploads";

export function answerFile({ body, upload }: Download): Response {
  const name = encodeURIComponent(String(upload["name"])).replaceAll("'", "%27");
  return new Response(body, {
    headers: {
      "Content-Type": String(upload["type"]),
      "Content-Length": String(upload["size"]),
      "Content-Disposition": `attachment; filename*=UTF-8''${name}`,
      "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "no-store",
      "Repr-Digest": `sha-256=:${base64Of(String(upload["sha256"]))}:`,
    },
  });
}

const base64Of = (hex: string): string =>
  btoa(
    (hex.match(/../g) ?? []).map((pair) => String.fromCharCode(Number.parseInt(pair, 16))).join(""),
  );
