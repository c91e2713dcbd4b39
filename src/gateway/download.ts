/** Responses for files and exports: always downloads, which the browser must never run. */
import { NDJSON } from "../protocol/media-types";
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

/** Each piece of an export is created when the client has received the previous one. */
export function answerExport(
  sessionId: string,
  pieces: AsyncGenerator<string>,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done === true) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(stream, {
    headers: {
      ...headers,
      "Content-Type": NDJSON,
      "Cache-Control": "no-store",
      "Content-Disposition": `attachment; filename="${sessionId}.ndjson"`,
    },
  });
}
