/** What a person sends from their page: the form, and files. */
import { numberOf } from "../domain/ids";
import { LIMITS } from "../domain/limits";
import type { LinkCode } from "../domain/links/link-code";
import { answerFile } from "../gateway/download";
import { endReasonOfFailure } from "../gateway/failure-end-reason";
import { publicUrlOf } from "../gateway/public-url";
import { Uploads } from "../gateway/uploads";
import { fileProblem, removeFile, uploadFile } from "./files";
import { bytesText } from "./text";
import { runAction, typedProblems, type ActionResult, type ActionContext } from "./actions";
import { answersIn } from "./form/answers";
import type { Texts } from "./form/node";
import { applyRowAction } from "./form/rows";
import { createNonce, isSameOriginRequest, retryLaterHeaders } from "./cookies";
import { answerPage } from "./layout";
import { Page } from "./page";
import type { PageState } from "./task";
import { AgentTokenPage } from "./agent-token-page";
import { readLinkForm, type PostedForm } from "./posted-form";
import { loadPageView } from "./page-view";
import { LANGUAGES } from "./words/index";
import {
  busyResponse,
  callerOf,
  loadLinkHolder,
  linksOf,
  refusePage,
  refuseLink,
} from "./link-holder";
import type { LinkHolder, PageContext } from "./link-holder";

const uploadsOf = (context: PageContext): Uploads => new Uploads(context.env, callerOf(context));

interface RedirectOptions {
  /** That the form was drawn in, where it says so. */
  readonly language?: string | undefined;
  readonly cookie?: string;
  /** The version that a save made: by it the page knows whether somebody wrote after it. */
  readonly at?: number | undefined;
}

export function redirectAfterPost(
  code: LinkCode,
  done: string,
  rest: RedirectOptions = {},
): Response {
  const at = rest.at === undefined ? "" : `&at=${rest.at}`;
  const language = rest.language === undefined ? "" : `&lang=${rest.language}`;
  const Location = `/h/${code}?done=${done}${at}${language}`;
  const headers = new Headers({ Location, "Cache-Control": "no-store" });
  if (rest.cookie !== undefined) headers.append("Set-Cookie", rest.cookie);
  return new Response(null, { status: 303, headers });
}

const requestedLanguage = ({ req }: PageContext): string | undefined => {
  const asked = req.query("lang") ?? "";
  return Object.hasOwn(LANGUAGES, asked) ? asked : undefined;
};

type LinkHolderHandler = (
  context: PageContext,
  guest: LinkHolder,
  code: LinkCode,
) => Promise<Response>;

/** What our own page sends, for somebody who has opened the link. */
const forLinkHolders =
  (take: LinkHolderHandler) =>
  async (context: PageContext, code: LinkCode): Promise<Response> => {
    if (!isSameOriginRequest(context.req.raw, context.env))
      return refusePage(context, "forged", `/h/${code}`);
    const guest = await loadLinkHolder(context, code);
    if (guest === null) return refuseWithoutCookie(context, code);
    return guest instanceof Response ? guest : take(context, guest, code);
  };

export const handleAction = forLinkHolders(async (context, guest, code) => {
  const { words, format } = guest.reader;
  const form = await readLinkForm(context.req.raw, context.env, guest);
  if (form === "forged") return refusePage(context, form, `/h/${code}`);
  if (form === "tooLarge") {
    const limit = bytesText(LIMITS.formBytes, words, format);
    return redraw(guest, { problem: words.problems.formTooLarge(limit) }, 413);
  }
  const action = form.typed.get("action") ?? "";
  const rows = applyRowAction(form.typed, action);
  if (rows !== null) return redraw(guest, { typed: rows }, 200);
  const errors = await storeFiles(context, guest, form, action);
  const now = await reloadAfterFiles(guest, form, action);
  if (errors.size > 0) {
    const problem = words.problems.invalid;
    // All at once: the other answers are looked at too.
    const all = new Map([...typedProblems(now, action), ...errors]);
    return redraw(now, { problem, ...unsavedTexts(now, form.typed), errors: all }, 422);
  }
  if (action.startsWith("remove/"))
    return redirectAfterPost(code, "removed", { language: requestedLanguage(context) });
  return answerAction(context, now, await runAction(now, action));
});

/** The cookie ends with the link: the page says that the link is over, where that is the reason. */
async function refuseWithoutCookie(context: PageContext, code: LinkCode): Promise<Response> {
  const answer = await linksOf(context).preview(code);
  if (!answer.ok) return busyResponse(answer.failure);
  return answer.value.state === "waiting"
    ? refusePage(context, "forged", `/h/${code}`)
    : refuseLink(context, answer.value);
}

/** Only what the person changed and is not saved: elsewhere the form shows what is there now. */
function unsavedTexts(
  { view: { model, session } }: LinkHolder,
  typed: Texts,
  saved: ReadonlySet<string> = new Set(),
): Partial<PageState> {
  const { changes } = answersIn(model(typed), typed, session.fields);
  return { typed, touched: new Set(Object.keys(changes).filter((key) => !saved.has(key))) };
}

/** Files that came with the form, and one to be removed; what went wrong, by input. */
async function storeFiles(
  context: PageContext,
  guest: LinkHolder,
  { files }: PostedForm,
  action: string,
): Promise<ReadonlyMap<string, string>> {
  const { words, format } = guest.reader;
  // Each is three writes: what no session can hold is not even begun.
  if (files.length > LIMITS.uploads) {
    const problem = words.page.fileCount(format(LIMITS.uploads));
    return new Map(files.map(([field]) => [inputName(field), problem]));
  }
  const errors = new Map<string, string>();
  const hand = { ...guest, uploads: uploadsOf(context) };
  for (const [field, file] of files) {
    const { name, type, size } = file;
    const failure = await uploadFile(hand, { field, name, type, size, body: file.stream() });
    if (failure === null) continue;
    const before = errors.get(inputName(field));
    const line = `${name}: ${fileProblem(failure, field, guest)}`;
    errors.set(inputName(field), before === undefined ? line : `${before} ${line}`);
  }
  if (action.startsWith("remove/")) {
    const failure = await removeFile(hand, numberOf(action.slice(7), "upl_") ?? 0);
    if (failure !== null) errors.set("", fileProblem(failure, "", guest));
  }
  return errors;
}

const inputName = (field: string): string => `f/${encodeURIComponent(field)}`;

/** The person's own files moved the version: that is no surprise to them. */
async function reloadAfterFiles(
  guest: LinkHolder,
  { typed, files }: PostedForm,
  action: string,
): Promise<ActionContext> {
  if (files.length === 0 && !action.startsWith("remove/")) return { ...guest, typed };
  const now = await loadPageView(
    guest.gateway,
    guest.credential,
    guest.view.code,
    guest.reader.language,
  );
  if (!now.ok) return { ...guest, typed };
  const isSeen = typed.get("version") === String(guest.view.session.version);
  const version = isSeen ? String(now.value.session.version) : (typed.get("version") ?? "");
  return { ...guest, view: now.value, typed: new Map([...typed, ["version", version]]) };
}

/** One file as the whole body, from the page's script: streamed, so it may be large. */
export const handleUpload = forLinkHolders(async (context, guest, code) => {
  const { raw } = context.req;
  const length = raw.headers.get("Content-Length");
  if (length === null) return redraw(guest, { problem: guest.reader.words.files.failed }, 411);
  const field = context.req.query("field") ?? "";
  const failure = await uploadFile(
    { ...guest, uploads: uploadsOf(context) },
    {
      field,
      name: context.req.query("name") ?? "",
      type: raw.headers.get("Content-Type") ?? "",
      size: Number(length),
      body: raw.body,
    },
  );
  if (failure === null)
    return redirectAfterPost(code, "uploaded", { language: requestedLanguage(context) });
  const problem = fileProblem(failure, field, guest);
  return redraw(guest, { problem, errors: new Map([[inputName(field), problem]]) }, 422);
});

export async function handleDownload(context: PageContext, code: LinkCode): Promise<Response> {
  const guest = await loadLinkHolder(context, code);
  if (guest === null) return refusePage(context, "unknown");
  if (guest instanceof Response) return guest;
  const number = numberOf(context.req.param("upload") ?? "", "upl_") ?? 0;
  const reply = await uploadsOf(context).get(guest.credential, number);
  if (reply.ok) return answerFile(reply.value);
  return reply.failure.code === "overloaded"
    ? busyResponse(reply.failure)
    : refusePage(context, "unknown");
}

async function answerAction(
  context: PageContext,
  hand: ActionContext,
  acted: ActionResult,
): Promise<Response> {
  const { typed, reader } = hand;
  const { code, session } = hand.view;
  switch (acted.kind) {
    case "done":
      return redirectAfterPost(code, acted.doneKey, {
        at: acted.at,
        language: requestedLanguage(context),
      });
    case "passed": {
      const publicUrl = publicUrlOf(context.env);
      const props = { code, sessionId: session.id, publicUrl, token: acted.token, reader };
      return answerPage(<AgentTokenPage {...props} />);
    }
    case "refused": {
      const why = endReasonOfFailure(acted.failure);
      if (why !== null) return refusePage(context, why);
      const problem = reader.words.problems.busy;
      return redraw(hand, { problem, typed }, 503, retryLaterHeaders(acted.failure));
    }
    case "again": {
      const { errors, conflicts, problem, status, later, saved } = acted;
      // Drawn from the session as it is now, with what was typed on top.
      const now = await loadPageView(hand.gateway, hand.credential, code, reader.language);
      const drawn = now.ok ? { ...hand, view: now.value } : hand;
      const kept = unsavedTexts(hand, typed, saved);
      const headers = later === undefined ? {} : retryLaterHeaders(later);
      return redraw(drawn, { problem, ...kept, errors, conflicts }, status, headers);
    }
  }
}

const redraw = (
  guest: LinkHolder,
  state: Omit<PageState, "key">,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  answerPage(
    <Page view={guest.view} state={{ key: createNonce(), ...state }} reader={guest.reader} />,
    status,
    headers,
  );
