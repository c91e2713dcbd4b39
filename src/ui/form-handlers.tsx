/** Handlers for the forms and files of a person's page. */
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
  /** The language that the form was drawn in, if it was requested. */
  readonly language?: string | undefined;
  readonly cookie?: string;
  /** The version that a save created. With it the page sees whether another write followed. */
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
  const language = req.query("lang") ?? "";
  return Object.hasOwn(LANGUAGES, language) ? language : undefined;
};

type LinkHolderHandler = (
  context: PageContext,
  holder: LinkHolder,
  code: LinkCode,
) => Promise<Response>;

/** Wraps a handler for requests of our own page by a person who has opened the link. */
const forLinkHolders =
  (handler: LinkHolderHandler) =>
  async (context: PageContext, code: LinkCode): Promise<Response> => {
    if (!isSameOriginRequest(context.req.raw, context.env))
      return refusePage(context, "forged", `/h/${code}`);
    const holder = await loadLinkHolder(context, code);
    if (holder === null) return refuseWithoutCookie(context, code);
    return holder instanceof Response ? holder : handler(context, holder, code);
  };

export const handleAction = forLinkHolders(async (context, holder, code) => {
  const { words, format } = holder.reader;
  const form = await readLinkForm(context.req.raw, context.env, holder);
  if (form === "forged") return refusePage(context, form, `/h/${code}`);
  if (form === "tooLarge") {
    const limit = bytesText(LIMITS.formBytes, words, format);
    return redraw(holder, { problem: words.problems.formTooLarge(limit) }, 413);
  }
  const action = form.typed.get("action") ?? "";
  const rows = applyRowAction(form.typed, action);
  if (rows !== null) return redraw(holder, { typed: rows }, 200);
  const errors = await storeFiles(context, holder, form, action);
  const current = await reloadAfterFiles(holder, form, action);
  if (errors.size > 0) {
    const problem = words.problems.invalid;
    // The other answers are checked too, so that all problems show at once.
    const all = new Map([...typedProblems(current, action), ...errors]);
    return redraw(current, { problem, ...unsavedTexts(current, form.typed), errors: all }, 422);
  }
  if (action.startsWith("remove/"))
    return redirectAfterPost(code, "removed", { language: requestedLanguage(context) });
  return answerAction(context, current, await runAction(current, action));
});

/** The cookie expires with the link: if that is the reason, the page says so. */
async function refuseWithoutCookie(context: PageContext, code: LinkCode): Promise<Response> {
  const answer = await linksOf(context).preview(code);
  if (!answer.ok) return busyResponse(answer.failure);
  return answer.value.state === "waiting"
    ? refusePage(context, "forged", `/h/${code}`)
    : refuseLink(context, answer.value);
}

/** The fields that the person changed and that are not saved. The other fields show their current value. */
function unsavedTexts(
  { view: { model, session } }: LinkHolder,
  typed: Texts,
  saved: ReadonlySet<string> = new Set(),
): Partial<PageState> {
  const { changes } = answersIn(model(typed), typed, session.fields);
  return { typed, touched: new Set(Object.keys(changes).filter((key) => !saved.has(key))) };
}

/** Stores the files of the form and removes one if requested. Returns the problems by input name. */
async function storeFiles(
  context: PageContext,
  holder: LinkHolder,
  { files }: PostedForm,
  action: string,
): Promise<ReadonlyMap<string, string>> {
  const { words, format } = holder.reader;
  // Each file is three writes, so more files than a session can hold are refused before the first.
  if (files.length > LIMITS.uploads) {
    const problem = words.page.fileCount(format(LIMITS.uploads));
    return new Map(files.map(([field]) => [inputName(field), problem]));
  }
  const errors = new Map<string, string>();
  const actionContext = { ...holder, uploads: uploadsOf(context) };
  for (const [field, file] of files) {
    const { name, type, size } = file;
    const failure = await uploadFile(actionContext, {
      field,
      name,
      type,
      size,
      body: file.stream(),
    });
    if (failure === null) continue;
    const before = errors.get(inputName(field));
    const line = `${name}: ${fileProblem(failure, field, holder)}`;
    errors.set(inputName(field), before === undefined ? line : `${before} ${line}`);
  }
  if (action.startsWith("remove/")) {
    const failure = await removeFile(actionContext, numberOf(action.slice(7), "upl_") ?? 0);
    if (failure !== null) errors.set("", fileProblem(failure, "", holder));
  }
  return errors;
}

const inputName = (field: string): string => `f/${encodeURIComponent(field)}`;

/** The person's own files changed the version, which must not count as a conflict. */
async function reloadAfterFiles(
  holder: LinkHolder,
  { typed, files }: PostedForm,
  action: string,
): Promise<ActionContext> {
  if (files.length === 0 && !action.startsWith("remove/")) return { ...holder, typed };
  const current = await loadPageView(
    holder.gateway,
    holder.credential,
    holder.view.code,
    holder.reader.language,
  );
  if (!current.ok) return { ...holder, typed };
  const isSeen = typed.get("version") === String(holder.view.session.version);
  const version = isSeen ? String(current.value.session.version) : (typed.get("version") ?? "");
  return { ...holder, view: current.value, typed: new Map([...typed, ["version", version]]) };
}

/** One file as the whole body, sent by the page's script. It is streamed, so it can be large. */
export const handleUpload = forLinkHolders(async (context, holder, code) => {
  const { raw } = context.req;
  const length = raw.headers.get("Content-Length");
  if (length === null) return redraw(holder, { problem: holder.reader.words.files.failed }, 411);
  const field = context.req.query("field") ?? "";
  const failure = await uploadFile(
    { ...holder, uploads: uploadsOf(context) },
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
  const problem = fileProblem(failure, field, holder);
  return redraw(holder, { problem, errors: new Map([[inputName(field), problem]]) }, 422);
});

export async function handleDownload(context: PageContext, code: LinkCode): Promise<Response> {
  const holder = await loadLinkHolder(context, code);
  if (holder === null) return refusePage(context, "unknown");
  if (holder instanceof Response) return holder;
  const number = numberOf(context.req.param("upload") ?? "", "upl_") ?? 0;
  const reply = await uploadsOf(context).get(holder.credential, number);
  if (reply.ok) return answerFile(reply.value);
  return reply.failure.code === "overloaded"
    ? busyResponse(reply.failure)
    : refusePage(context, "unknown");
}

async function answerAction(
  context: PageContext,
  actionContext: ActionContext,
  result: ActionResult,
): Promise<Response> {
  const { typed, reader } = actionContext;
  const { code, session } = actionContext.view;
  switch (result.kind) {
    case "done":
      return redirectAfterPost(code, result.doneKey, {
        at: result.at,
        language: requestedLanguage(context),
      });
    case "passed": {
      const publicUrl = publicUrlOf(context.env);
      const props = { code, sessionId: session.id, publicUrl, token: result.token, reader };
      return answerPage(<AgentTokenPage {...props} />);
    }
    case "refused": {
      const why = endReasonOfFailure(result.failure);
      if (why !== null) return refusePage(context, why);
      const problem = reader.words.problems.busy;
      return redraw(actionContext, { problem, typed }, 503, retryLaterHeaders(result.failure));
    }
    case "again": {
      const { errors, conflicts, problem, status, later, saved } = result;
      // Drawn from the current session, with the typed texts on top.
      const current = await loadPageView(
        actionContext.gateway,
        actionContext.credential,
        code,
        reader.language,
      );
      const drawn = current.ok ? { ...actionContext, view: current.value } : actionContext;
      const unsaved = unsavedTexts(actionContext, typed, saved);
      const headers = later === undefined ? {} : retryLaterHeaders(later);
      return redraw(drawn, { problem, ...unsaved, errors, conflicts }, status, headers);
    }
  }
}

const redraw = (
  holder: LinkHolder,
  state: Omit<PageState, "key">,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  answerPage(
    <Page view={holder.view} state={{ key: createNonce(), ...state }} reader={holder.reader} />,
    status,
    headers,
  );
