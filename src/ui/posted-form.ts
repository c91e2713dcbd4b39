/**
 * The only reader of posted forms. It reads only forms of our own pages, and only with a cookie: the body
 * of any other request is never read. Entries are counted before they are parsed, because a few
 * megabytes can hold millions of them.
 */
import { LIMITS } from "../domain/limits";
import type { ConsoleLogin } from "../gateway/console-sign-in";
import type { Texts } from "./form/node";
import { isSameOriginRequest, type PublicSettings } from "./cookies";
import type { LinkHolder } from "./link-holder";

export interface PostedForm {
  readonly typed: Texts;
  /** Each with its field; a field can have several. */
  readonly files: readonly (readonly [string, File])[];
}

type FormRefusal = "forged" | "tooLarge";

/** A note, a reason or a comment, cut to the API's limit. Undefined if it is empty. */
export const textIn = (typed: Texts, name: string): string | undefined =>
  typed.get(name)?.trim().slice(0, LIMITS.textLength) || undefined;

/** Before sign-in: the nonce in our own page's cookie must be in the form too. */
export async function readNonceForm(
  request: Request,
  env: PublicSettings,
  nonce: string | null,
): Promise<Texts | null> {
  if (nonce === null || nonce === "") return null;
  const form = await readForm(request, env, LIMITS.bodyBytes);
  return typeof form === "object" && form.typed.get("nonce") === nonce ? form.typed : null;
}

/** A form of the signed-in console: it has the token that only our own pages know. */
export async function readConsoleForm(
  request: Request,
  env: PublicSettings,
  { formToken }: ConsoleLogin,
): Promise<Texts | null> {
  const form = await readForm(request, env, LIMITS.bodyBytes);
  return typeof form === "object" && form.typed.get("form") === formToken ? form.typed : null;
}

/** A form of an opened link: only this one may contain files. */
export const readLinkForm = (
  request: Request,
  env: PublicSettings,
  _holder: LinkHolder,
): Promise<PostedForm | FormRefusal> => readForm(request, env, LIMITS.formBytes);

const EMPTY_FORM: PostedForm = { typed: new Map(), files: [] };

/** A boundary as browsers write it. Entries of any other boundary could not be counted. */
const BOUNDARY = /^multipart\/form-data; ?boundary="?([\w'+-]{1,70})"?$/i;

async function readForm(
  request: Request,
  env: PublicSettings,
  maxBytes: number,
): Promise<PostedForm | FormRefusal> {
  if (!isSameOriginRequest(request, env)) return "forged";
  const type = request.headers.get("Content-Type") ?? "";
  const boundary = BOUNDARY.exec(type)?.[1];
  const max = boundary === undefined ? LIMITS.bodyBytes : maxBytes;
  const length = Number(request.headers.get("Content-Length") ?? Number.NaN);
  if (!(length <= max)) return "tooLarge";
  try {
    const body = await request.arrayBuffer();
    if (boundary !== undefined) return await readParts(body, type, boundary);
    return /^application\/x-www-form-urlencoded\b/i.test(type) ? readPairs(body) : EMPTY_FORM;
  } catch {
    return EMPTY_FORM;
  }
}

function readPairs(body: ArrayBuffer): PostedForm | FormRefusal {
  const text = new TextDecoder().decode(body);
  if (exceedsCount(text, "&", LIMITS.formEntries - 1)) return "tooLarge";
  return { typed: new Map(new URLSearchParams(text)), files: [] };
}

async function readParts(
  body: ArrayBuffer,
  type: string,
  boundary: string,
): Promise<PostedForm | FormRefusal> {
  // One more than the entries, because the last boundary ends the form.
  if (
    exceedsCount(new TextDecoder("latin1").decode(body), `--${boundary}`, LIMITS.formEntries + 1)
  ) {
    return "tooLarge";
  }
  const typed = new Map<string, string>();
  const files: (readonly [string, File])[] = [];
  for (const [name, value] of await new Response(body, {
    headers: { "Content-Type": type },
  }).formData()) {
    if (typeof value === "string") typed.set(name, value);
    // An unused file input is sent as an empty file without a name.
    else if (value.size > 0 || value.name !== "") files.push([name.replace(/^file\//, ""), value]);
  }
  return { typed, files };
}

/** Whether the text has more than `max` separators. It stops searching there. */
function exceedsCount(text: string, separator: string, max: number): boolean {
  let position = -1;
  for (let found = 0; found <= max; found += 1) {
    position = text.indexOf(separator, position + 1);
    if (position < 0) return false;
  }
  return true;
}
