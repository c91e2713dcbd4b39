/**
 * The one reader of posted forms. It reads only forms of our own pages, and only for somebody with a
 * cookie: what a stranger sends is not read. Entries are counted before they are taken apart, because
 * a few megabytes can hold millions of them.
 */
import { LIMITS } from "../domain/limits";
import type { ConsoleLogin } from "../gateway/console-sign-in";
import type { Texts } from "./form/node";
import { isSameOriginRequest, type PublicSettings } from "./cookies";
import type { LinkHolder } from "./link-holder";

export interface PostedForm {
  readonly typed: Texts;
  /** With their fields; several may be for the same. */
  readonly files: readonly (readonly [string, File])[];
}

type FormRefusal = "forged" | "tooLarge";

/** A note, a reason or a comment, as long as the wire takes one; undefined where nothing was said. */
export const textIn = (typed: Texts, name: string): string | undefined =>
  typed.get(name)?.trim().slice(0, LIMITS.textLength) || undefined;

/** Before anybody is known: the cookie of our own page, and the same value in the form. */
export async function readNonceForm(
  request: Request,
  env: PublicSettings,
  nonce: string | null,
): Promise<Texts | null> {
  if (nonce === null || nonce === "") return null;
  const form = await readForm(request, env, LIMITS.bodyBytes);
  return typeof form === "object" && form.typed.get("nonce") === nonce ? form.typed : null;
}

/** Of one who is signed in to the console: it has the token that only our own pages know. */
export async function readConsoleForm(
  request: Request,
  env: PublicSettings,
  { formToken }: ConsoleLogin,
): Promise<Texts | null> {
  const form = await readForm(request, env, LIMITS.bodyBytes);
  return typeof form === "object" && form.typed.get("form") === formToken ? form.typed : null;
}

/** Of one who opened a link: it alone may hold files. */
export const readLinkForm = (
  request: Request,
  env: PublicSettings,
  _guest: LinkHolder,
): Promise<PostedForm | FormRefusal> => readForm(request, env, LIMITS.formBytes);

const EMPTY_FORM: PostedForm = { typed: new Map(), files: [] };

/** As browsers write it; any other boundary is none that could be counted. */
const BOUNDARY = /^multipart\/form-data; ?boundary="?([\w'+-]{1,70})"?$/i;

async function readForm(
  request: Request,
  env: PublicSettings,
  mostBytes: number,
): Promise<PostedForm | FormRefusal> {
  if (!isSameOriginRequest(request, env)) return "forged";
  const type = request.headers.get("Content-Type") ?? "";
  const boundary = BOUNDARY.exec(type)?.[1];
  const most = boundary === undefined ? LIMITS.bodyBytes : mostBytes;
  const length = Number(request.headers.get("Content-Length") ?? Number.NaN);
  if (!(length <= most)) return "tooLarge";
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
  // One more than the entries: the last one ends the form.
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
    // A file input that was left alone comes as a file without a name.
    else if (value.size > 0 || value.name !== "") files.push([name.replace(/^file\//, ""), value]);
  }
  return { typed, files };
}

/** Whether a text has more than so many of these; it looks no further. */
function exceedsCount(text: string, separator: string, most: number): boolean {
  let at = -1;
  for (let found = 0; found <= most; found += 1) {
    at = text.indexOf(separator, at + 1);
    if (at < 0) return false;
  }
  return true;
}
