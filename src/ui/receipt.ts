/** A person's signed receipt: what they did and what they were shown, to print or to save. */
import type { LinkCode } from "../domain/links/link-code";
import type { Env } from "../env";
import { Evidence } from "../gateway/evidence";
import { keyringOf } from "../gateway/keyring";
import { publicUrlOf } from "../gateway/public-url";
import { answerReceiptPage, type OwnAct } from "../print/receipt-page";
import {
  busyResponse,
  callerOf,
  loadLinkHolder,
  readerFor,
  refusePage,
  type PageContext,
} from "./link-holder";
import { readText } from "./form/draw-value";
import { detailSuffix, eventTextKey } from "./timeline";
import { isLinkHolder, type PageView } from "./page-view";
import type { Reader } from "./words/index";

/** Without an answer there is nothing to certify. Without keys nothing can be signed. */
export const hasReceipt = (env: Env, view: PageView): boolean =>
  (view.isAnswered || view.session.state === "finalized") && keyringOf(env, "SIGNING_KEYS").ok;

export async function showReceipt(context: PageContext, code: LinkCode): Promise<Response> {
  const holder = await loadLinkHolder(context, code);
  if (holder instanceof Response) return holder;
  // Without the cookie, the address on a printed receipt redirects to the link.
  if (holder === null) return context.redirect(`/h/${code}`, 302);
  const { view, credential } = holder;
  if (!hasReceipt(context.env, view)) return refusePage(context, "unknown", `/h/${code}`);
  const reply = await new Evidence(context.env, callerOf(context)).receipt(credential);
  if (!reply.ok) return busyResponse(reply.failure);
  if (context.req.query("file") !== undefined) return receiptFile({ receipt: reply.value }, view);
  const address = `${publicUrlOf(context.env)}/h/${code}/receipt`;
  const reader = { ...readerFor(context), fileNames: view.fileNames };
  return answerReceiptPage(reply.value, address, {
    language: reader.language,
    acts: ownActsOf(view, reader),
    file: "?file",
    stateText: reader.words.states[view.session.state],
    labelOf: (field) => view.labelOf(field),
    textOf: (field, value) => readText(view.fieldOf(field).node, value, reader),
  });
}

const receiptFile = (document: object, { session }: PageView): Response =>
  new Response(`${JSON.stringify(document)}\n`, {
    headers: {
      "Content-Type": "application/json",
      "Content-Disposition": `attachment; filename="${session.id}-receipt.json"`,
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    },
  });

function ownActsOf(view: PageView, { words }: Reader): readonly OwnAct[] {
  const eventTexts: Readonly<Record<string, string>> = words.events;
  return view.events
    .filter(({ actor }) => isLinkHolder(view, actor))
    .filter((event) => eventTexts[eventTextKey(event)] !== undefined)
    .map((event) => ({
      what: `${eventTexts[eventTextKey(event)]}${detailSuffix(event, view)}`,
      at: event.at,
      version: event.version,
    }));
}
