/**
 * An argument called `__proto__` would be gone before a tool could refuse it, because the protocol's
 * own parser leaves that name out. No argument is dropped in silence, so it is looked for here.
 */
import { INVALID_PARAMS, readRequestBody } from "@modelcontextprotocol/server";
import { LIMITS } from "../domain/limits";

/** Only a text with one of these can hold the name; any other is not parsed twice. */
const SUSPECT = /__proto__|\\u/;

export async function bodyProblem(request: Request): Promise<Response | null> {
  if (request.method !== "POST") return null;
  const read = await readRequestBody(request.clone() as Request, LIMITS.bodyBytes);
  if (read.tooLarge || !SUSPECT.test(read.text)) return null;
  const messages = [parse(read.text)].flat();
  const found = messages.find((message) =>
    Object.hasOwn(message?.params?.arguments ?? {}, "__proto__"),
  );
  if (found === undefined) return null;
  const error = { code: INVALID_PARAMS, message: 'An argument is called "__proto__"' };
  return Response.json({ jsonrpc: "2.0", id: found?.id ?? null, error }, { status: 400 });
}

type Message = { readonly id?: unknown; readonly params?: { readonly arguments?: object } } | null;

/** What is not JSON is for the protocol's parser to refuse. */
function parse(text: string): Message | Message[] {
  try {
    return JSON.parse(text) as Message | Message[];
  } catch {
    return null;
  }
}
