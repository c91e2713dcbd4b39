/**
 * An argument called `__proto__` would be gone before a tool could refuse it, because the protocol's
 * own parser leaves that name out. No argument is dropped in silence, so it is looked for here.
 */
import { INVALID_PARAMS, PARSE_ERROR, readRequestBody } from "@modelcontextprotocol/server";
import { LIMITS } from "../domain/limits";

/** Only a text with one of these can hold the name; any other is not parsed twice. */
const SUSPECT = /__proto__|\\u/;

export async function bodyProblem(request: Request): Promise<Response | null> {
  if (request.method !== "POST") return null;
  // A body that breaks off is the sender's doing, not a fault here.
  const read = await readRequestBody(request.clone() as Request, LIMITS.bodyBytes).catch(
    () => null,
  );
  if (read === null) return refusal(PARSE_ERROR, "The body ended before its end", null);
  if (read.tooLarge || !SUSPECT.test(read.text)) return null;
  const messages = [parse(read.text)].flat();
  const found = messages.find((message) =>
    Object.hasOwn(message?.params?.arguments ?? {}, "__proto__"),
  );
  if (found === undefined) return null;
  return refusal(INVALID_PARAMS, 'An argument is called "__proto__"', found?.id ?? null);
}

const refusal = (code: number, message: string, id: unknown): Response =>
  Response.json({ jsonrpc: "2.0", id, error: { code, message } }, { status: 400 });

type Message = { readonly id?: unknown; readonly params?: { readonly arguments?: object } } | null;

/** What is not JSON is for the protocol's parser to refuse. */
function parse(text: string): Message | Message[] {
  try {
    return JSON.parse(text) as Message | Message[];
  } catch {
    return null;
  }
}
