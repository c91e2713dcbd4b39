/** A person's receipt after their part: what they did and what they were shown, signed, to print or to keep. */
import type { LinkCode } from "../domain/links/link-code";
import type { Env } from "../env";
import { Evidence } from "../gateway/evidence";
import { keysOf } from "../gateway/keyring";
import { publicUrlOf } from "../gateway/public-url";
import { answerReceiptPage, type OwnAct } from "../print/receipt-page";
import { busy, callerOf, guestOf, readerFor, refuse, type PageContext } from "./guest";
import { readText } from "./form/draw-value";
import { detailOf, wordFor } from "./timeline";
import { isReader, type Visit } from "./visit";
import type { Reader } from "./words/index";

/** What was cancelled before they answered has nothing to show for. Without keys nothing can be signed. */
export const hasReceipt = (env: Env, visit: Visit): boolean =>
  (visit.isAnswered || visit.session.state === "finalized") && keysOf(env, "SIGNING_KEYS").ok;

export async function showReceipt(context: PageContext, code: LinkCode): Promise<Response> {
  const guest = await guestOf(context, code);
  if (guest instanceof Response) return guest;
  // Whoever has the paper and not the cookie comes to the link itself.
  if (guest === null) return context.redirect(`/h/${code}`, 302);
  const { visit, presented } = guest;
  if (!hasReceipt(context.env, visit)) return refuse(context, "unknown", `/h/${code}`);
  const reply = await new Evidence(context.env, callerOf(context)).receipt(presented);
  if (!reply.ok) return busy(reply.failure);
  if (context.req.query("file") !== undefined) return asFile({ receipt: reply.value }, visit);
  const address = `${publicUrlOf(context.env)}/h/${code}/receipt`;
  const reader = { ...readerFor(context), fileNames: visit.fileNames };
  return answerReceiptPage(reply.value, address, {
    language: reader.language,
    acts: actsOf(visit, reader),
    file: "?file",
    stateText: reader.words.states[visit.session.state],
    labelOf: (field) => visit.labelOf(field),
    textOf: (field, value) => readText(visit.read(field).node, value, reader),
  });
}

const asFile = (document: object, { session }: Visit): Response =>
  new Response(`${JSON.stringify(document)}\n`, {
    headers: {
      "Content-Type": "application/json",
      "Content-Disposition": `attachment; filename="${session.id}-receipt.json"`,
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    },
  });

function actsOf(visit: Visit, { words }: Reader): readonly OwnAct[] {
  const told: Readonly<Record<string, string>> = words.events;
  return visit.events
    .filter(({ actor }) => isReader(visit, actor))
    .filter((event) => told[wordFor(event)] !== undefined)
    .map((event) => ({
      what: `${told[wordFor(event)]}${detailOf(event, visit)}`,
      at: event.at,
      version: event.version,
    }));
}
