/**
 * Reads a JSON body once, within limits: length, encoding, nesting, and the few things that JSON allows
 * but a session could not return unchanged.
 */
import { invalid } from "../domain/failure";
import { LIMITS } from "../domain/limits";
import { ok, refuse, type Result } from "../domain/result";
import { BODY_TOO_LARGE, parseJsonText } from "../protocol/parse-json";

/** The parsed body, or undefined if there is none. */
export async function readJsonBody(request: Request): Promise<Result<unknown>> {
  const length = request.headers.get("Content-Length");
  if (length !== null && Number(length) > LIMITS.bodyBytes) return refuse(BODY_TOO_LARGE);
  const bytes = await readBytes(request, length !== null).catch(() => CUT_OFF);
  if (bytes === CUT_OFF) return refuse(invalid("the body ended early"));
  if (bytes === null || bytes.length > LIMITS.bodyBytes) return refuse(BODY_TOO_LARGE);
  if (bytes.length === 0) return ok(undefined);
  if (!isJson(request.headers.get("Content-Type"))) {
    return refuse({ code: "unsupported_media_type" });
  }
  return parse(bytes);
}

/** A body that ends early is the sender's fault, not an error of the server. */
const CUT_OFF = new Uint8Array();

/** The platform enforces a declared length; without one, the bytes are counted here. */
const readBytes = async (request: Request, hasLength: boolean): Promise<Uint8Array | null> =>
  hasLength ? new Uint8Array(await request.arrayBuffer()) : readBounded(request.body);

async function readBounded(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array | null> {
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > LIMITS.bodyBytes) return null;
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

const isJson = (contentType: string | null): boolean =>
  /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType?.trim() ?? "");

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

function parse(bytes: Uint8Array): Result<unknown> {
  try {
    return parseJsonText(decoder.decode(bytes));
  } catch {
    return refuse(invalid("the body is not JSON in UTF-8"));
  }
}
