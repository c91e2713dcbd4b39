/** What a person sends from their page: the form, and files. */
import { numberOf } from "../domain/ids";
import { LIMITS } from "../domain/limits";
import type { LinkCode } from "../domain/links/link-code";
import { answerFile } from "../gateway/download";
import { endingOfFailure } from "../gateway/endings";
import { publicUrlOf } from "../gateway/public-url";
import { Uploads } from "../gateway/uploads";
import { fileProblem, removeFile, sendFile } from "./files";
import { bytesText } from "./text";
import { act, problemsOf, type Acted, type Hand } from "./actions";
import { answersIn } from "./form/answers";
import type { Texts } from "./form/node";
import { withRows } from "./form/rows";
import { drawNonce, isOwnForm, laterHeaders } from "./guard";
import { answerPage } from "./layout";
import { Page } from "./page";
import type { PageState } from "./part";
import { Passed } from "./passed";
import { readGuestForm, type Form } from "./posted-form";
import { visit } from "./visit";
import { LANGUAGES } from "./words/index";
import { busy, callerOf, guestOf, linksOf, refuse, refuseLink } from "./guest";
import type { Guest, PageContext } from "./guest";

const uploadsOf = (context: PageContext): Uploads => new Uploads(context.env, callerOf(context));

interface SeeOther {
  /** That the form was drawn in, where it says so. */
  readonly language?: string | undefined;
  readonly cookie?: string;
  /** The version that a save made: by it the page knows whether somebody wrote after it. */
  readonly at?: number | undefined;
}

export function seeOther(code: LinkCode, done: string, rest: SeeOther = {}): Response {
  const at = rest.at === undefined ? "" : `&at=${rest.at}`;
  const language = rest.language === undefined ? "" : `&lang=${rest.language}`;
  const Location = `/h/${code}?done=${done}${at}${language}`;
  const headers = new Headers({ Location, "Cache-Control": "no-store" });
  if (rest.cookie !== undefined) headers.append("Set-Cookie", rest.cookie);
  return new Response(null, { status: 303, headers });
}

const languageAsked = ({ req }: PageContext): string | undefined => {
  const asked = req.query("lang") ?? "";
  return Object.hasOwn(LANGUAGES, asked) ? asked : undefined;
};

type Taking = (context: PageContext, guest: Guest, code: LinkCode) => Promise<Response>;

/** What our own page sends, for somebody who has opened the link. */
const fromGuests =
  (take: Taking) =>
  async (context: PageContext, code: LinkCode): Promise<Response> => {
    if (!isOwnForm(context.req.raw, context.env)) return refuse(context, "forged", `/h/${code}`);
    const guest = await guestOf(context, code);
    if (guest === null) return withoutCookie(context, code);
    return guest instanceof Response ? guest : take(context, guest, code);
  };

export const takeAction = fromGuests(async (context, guest, code) => {
  const { words, format } = guest.reader;
  const form = await readGuestForm(context.req.raw, context.env, guest);
  if (form === "forged") return refuse(context, form, `/h/${code}`);
  if (form === "tooLarge") {
    const limit = bytesText(LIMITS.formBytes, words, format);
    return redraw(guest, { problem: words.problems.formTooLarge(limit) }, 413);
  }
  const action = form.typed.get("action") ?? "";
  const rows = withRows(form.typed, action);
  if (rows !== null) return redraw(guest, { typed: rows }, 200);
  const errors = await filesIn(context, guest, form, action);
  const now = await afterFiles(guest, form, action);
  if (errors.size > 0) {
    const problem = words.problems.invalid;
    // All at once: the other answers are looked at too.
    const all = new Map([...problemsOf(now, action), ...errors]);
    return redraw(now, { problem, ...typedIn(now, form.typed), errors: all }, 422);
  }
  if (action.startsWith("remove/"))
    return seeOther(code, "removed", { language: languageAsked(context) });
  return answerActed(context, now, await act(now, action));
});

/** The cookie ends with the link: the page says that the link is over, where that is the reason. */
async function withoutCookie(context: PageContext, code: LinkCode): Promise<Response> {
  const answer = await linksOf(context).look(code);
  if (!answer.ok) return busy(answer.failure);
  return answer.value.state === "waiting"
    ? refuse(context, "forged", `/h/${code}`)
    : refuseLink(context, answer.value);
}

/** Only what the person changed and is not saved: elsewhere the form shows what is there now. */
function typedIn(
  { visit: { model, session } }: Guest,
  typed: Texts,
  saved: ReadonlySet<string> = new Set(),
): Partial<PageState> {
  const { changes } = answersIn(model(typed), typed, session.fields);
  return { typed, touched: new Set(Object.keys(changes).filter((key) => !saved.has(key))) };
}

/** Files that came with the form, and one to be removed; what went wrong, by input. */
async function filesIn(
  context: PageContext,
  guest: Guest,
  { files }: Form,
  action: string,
): Promise<ReadonlyMap<string, string>> {
  const { words, format } = guest.reader;
  // Each is three writes: what no session can hold is not even begun.
  if (files.length > LIMITS.uploads) {
    const problem = words.page.fileCount(format(LIMITS.uploads));
    return new Map(files.map(([field]) => [inputOf(field), problem]));
  }
  const errors = new Map<string, string>();
  const hand = { ...guest, uploads: uploadsOf(context) };
  for (const [field, file] of files) {
    const { name, type, size } = file;
    const failure = await sendFile(hand, { field, name, type, size, body: file.stream() });
    if (failure === null) continue;
    const before = errors.get(inputOf(field));
    const line = `${name}: ${fileProblem(failure, field, guest)}`;
    errors.set(inputOf(field), before === undefined ? line : `${before} ${line}`);
  }
  if (action.startsWith("remove/")) {
    const failure = await removeFile(hand, numberOf(action.slice(7), "upl_") ?? 0);
    if (failure !== null) errors.set("", fileProblem(failure, "", guest));
  }
  return errors;
}

const inputOf = (field: string): string => `f/${encodeURIComponent(field)}`;

/** The person's own files moved the version: that is no surprise to them. */
async function afterFiles(guest: Guest, { typed, files }: Form, action: string): Promise<Hand> {
  if (files.length === 0 && !action.startsWith("remove/")) return { ...guest, typed };
  const now = await visit(guest.gateway, guest.presented, guest.visit.code, guest.reader.language);
  if (!now.ok) return { ...guest, typed };
  const isSeen = typed.get("version") === String(guest.visit.session.version);
  const version = isSeen ? String(now.value.session.version) : (typed.get("version") ?? "");
  return { ...guest, visit: now.value, typed: new Map([...typed, ["version", version]]) };
}

/** One file as the whole body, from the page's script: streamed, so it may be large. */
export const takeFile = fromGuests(async (context, guest, code) => {
  const { raw } = context.req;
  const length = raw.headers.get("Content-Length");
  if (length === null) return redraw(guest, { problem: guest.reader.words.files.failed }, 411);
  const field = context.req.query("field") ?? "";
  const failure = await sendFile(
    { ...guest, uploads: uploadsOf(context) },
    {
      field,
      name: context.req.query("name") ?? "",
      type: raw.headers.get("Content-Type") ?? "",
      size: Number(length),
      body: raw.body,
    },
  );
  if (failure === null) return seeOther(code, "uploaded", { language: languageAsked(context) });
  const problem = fileProblem(failure, field, guest);
  return redraw(guest, { problem, errors: new Map([[inputOf(field), problem]]) }, 422);
});

export async function giveFile(context: PageContext, code: LinkCode): Promise<Response> {
  const guest = await guestOf(context, code);
  if (guest === null) return refuse(context, "unknown");
  if (guest instanceof Response) return guest;
  const number = numberOf(context.req.param("upload") ?? "", "upl_") ?? 0;
  const reply = await uploadsOf(context).get(guest.presented, number);
  if (reply.ok) return answerFile(reply.value);
  return reply.failure.code === "overloaded" ? busy(reply.failure) : refuse(context, "unknown");
}

async function answerActed(context: PageContext, hand: Hand, acted: Acted): Promise<Response> {
  const { typed, reader } = hand;
  const { code, session } = hand.visit;
  switch (acted.kind) {
    case "done":
      return seeOther(code, acted.word, { at: acted.at, language: languageAsked(context) });
    case "passed": {
      const publicUrl = publicUrlOf(context.env);
      const props = { code, sessionId: session.id, publicUrl, token: acted.token, reader };
      return answerPage(<Passed {...props} />);
    }
    case "refused": {
      const why = endingOfFailure(acted.failure);
      if (why !== null) return refuse(context, why);
      const problem = reader.words.problems.busy;
      return redraw(hand, { problem, typed }, 503, laterHeaders(acted.failure));
    }
    case "again": {
      const { errors, conflicts, problem, status, later, saved } = acted;
      // Drawn from the session as it is now, with what was typed on top.
      const now = await visit(hand.gateway, hand.presented, code, reader.language);
      const drawn = now.ok ? { ...hand, visit: now.value } : hand;
      const kept = typedIn(hand, typed, saved);
      const headers = later === undefined ? {} : laterHeaders(later);
      return redraw(drawn, { problem, ...kept, errors, conflicts }, status, headers);
    }
  }
}

const redraw = (
  guest: Guest,
  state: Omit<PageState, "key">,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  answerPage(
    <Page visit={guest.visit} state={{ key: drawNonce(), ...state }} reader={guest.reader} />,
    status,
    headers,
  );
