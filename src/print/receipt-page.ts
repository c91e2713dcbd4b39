/**
 * Renders a receipt as a page to print, in the language of its reader and with a QR code of its
 * address. The page has no script. Only the JSON is signed; the page shows nothing that is not in it.
 */
import { html, raw } from "hono/html";
import { renderSVG } from "uqr";
import { isJsonObject, type Json, type JsonObject } from "../domain/json";
import type { Actor } from "../domain/participants/actor";
import { RECEIPT_WORDS, type ReceiptLanguage, type ReceiptWords } from "./receipt-words";

interface Act {
  readonly by?: Actor;
  readonly actor?: Actor;
  readonly at?: string;
}

interface Approval extends Act {
  readonly version?: number;
  readonly comment?: string;
  readonly identity?: { readonly issuer: string; readonly subject: string };
}

/** The members of a receipt that the page shows. */
interface Receipt {
  readonly sessionId: string;
  readonly title: string | null;
  readonly state: string;
  readonly version: number;
  readonly createdAt: string;
  readonly createdBy: Actor;
  readonly fields: readonly (Act & { readonly field: string; readonly value: Json })[];
  readonly files: readonly {
    readonly name: string;
    readonly sha256: string;
  }[];
  readonly submitted: Act | null;
  readonly approvals: { readonly needed: number; readonly given: readonly Approval[] };
  readonly ended: Act | null;
  readonly seq: number;
  readonly chain: string;
  readonly at: string;
  readonly url: string;
  readonly keys: string;
  readonly keyId: string;
  readonly signature: string;
}

const HEADERS: Readonly<Record<string, string>> = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Robots-Tag": "noindex, nofollow",
  "Cache-Control": "no-store",
};

/** Generic ids of actors without a name, which mean nothing to a person. */
const GENERIC_IDS = /^(agent|human|owner|person(-\d+)?|par_\w+)$/;

/** Includes the kind, which the server sets: the name is only self-declared. */
function describeActor({ by, actor = by }: Act, { kinds, someone, unknown }: ReceiptWords): string {
  if (actor === undefined) return unknown;
  const { kind, id, name } = actor;
  if (kind === "system" || (name === undefined && GENERIC_IDS.test(id))) return someone[kind];
  return `${name ?? id} (${kinds[kind]})`;
}

/** In UTC, because paper has no time zone. */
function timeFormatter(language: ReceiptLanguage): (act: Act) => string {
  const times = new Intl.DateTimeFormat(language, {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: "UTC",
  });
  return ({ at }) => (at === undefined ? "" : `${times.format(new Date(at))} UTC`);
}

function valueText(
  { field, value }: Receipt["fields"][number],
  words: ReceiptWords,
  person: ReceiptReader | null,
): string {
  const hash = isJsonObject(value) ? value["$private"] : undefined;
  if (typeof hash === "string") return words.private(hash);
  if (person !== null) return person.textOf(field, value);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Each cell has its own text direction: hashes, names and addresses are not text of the page. */
const row = (name: string, ...cells: readonly string[]) => labelledRow([], name, ...cells);

/** A narrow screen shows cells below each other, each with its column head (`data-label`). */
const labelledRow = (heads: readonly string[], name: string, ...cells: readonly string[]) =>
  html`<tr>
    <th scope="row" dir="auto">${name}</th>
    ${cells.map((cell, index) =>
      cell === "" ? html`<td></td>` : html`<td ${label(heads[index + 1])}><bdi>${cell}</bdi></td>`,
    )}
  </tr>`;

const label = (head: string | undefined) => (head === undefined ? "" : html`data-label="${head}"`);

const headRow = (names: readonly string[]) =>
  html`<tr class="heads">
    ${names.map((name) => html`<th scope="col">${name}</th>`)}
  </tr>`;

/** An action of the reader of the receipt. */
export interface OwnAct {
  readonly what: string;
  readonly at: string;
  readonly version: number;
}

/** A person's receipt lists their own actions first, links to the signed file, and is in their language. */
interface ReceiptReader {
  readonly language: string;
  readonly acts: readonly OwnAct[];
  readonly file: string;
  readonly stateText: string;
  readonly labelOf: (field: string) => string;
  readonly textOf: (field: string, value: Json) => string;
}

const isSupported = (language: string | undefined): language is ReceiptLanguage =>
  language !== undefined && Object.hasOwn(RECEIPT_WORDS, language);

/** `address` is the URL of this page. */
export function answerReceiptPage(
  document: JsonObject,
  address: string,
  person: ReceiptReader | null = null,
): Response {
  const receipt = document as unknown as Receipt;
  const { approvals, files, fields, submitted, ended } = receipt;
  const language = isSupported(person?.language) ? person.language : "en";
  const words: ReceiptWords = RECEIPT_WORDS[language];
  const heads = [words.field, words.value, words.filledBy, words.time];
  const when = timeFormatter(language);
  const doer = (act: Act): string => words.by(describeActor(act, words));
  const done = (act: Act): readonly string[] => [when(act), doer(act)];
  const page = html`<!doctype html>
    <html lang="${language}" dir="${words.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${words.title}: ${receipt.title ?? receipt.sessionId}</title>
        <link rel="stylesheet" href="/assets/page.css" />
      </head>
      <body>
        <main>
          <h1>${words.title}</h1>
          <p dir="auto">${receipt.title ?? ""}</p>
          <table class="facts">
            ${row(words.session, receipt.sessionId)}
            ${row(words.state, person?.stateText ?? receipt.state)}
            ${row(words.created, ...done({ at: receipt.createdAt, by: receipt.createdBy }))}
            ${submitted === null ? "" : row(words.submitted, ...done(submitted))}
            ${ended === null ? "" : row(words.ended, ...done(ended))}
          </table>
          ${person === null ? "" : ownPart(person.acts, words, when)}
          <h2>${words.filled}</h2>
          <table class="facts">
            ${headRow(heads)}
            ${fields.map((one) =>
              labelledRow(
                heads,
                person?.labelOf(one.field) ?? one.field,
                valueText(one, words, person),
                describeActor(one, words),
                when(one),
              ),
            )}
          </table>
          ${files.length === 0 ? "" : html`<h2>${words.files}</h2>`}
          <table class="facts">
            ${files.map(({ name }) => row(name))}
          </table>
          ${approvalsPart(approvals, words, when)}
          <h2>${words.proof}</h2>
          <p>${words.proofHelp}</p>
          <p>
            ${person === null
              ? words.askForJson
              : html`${words.keep}<a href="${person.file}">${words.file}</a>${words.andRun}`}<code
              >baton verify</code
            >${words.onTheFile}
          </p>
          <table class="facts">
            ${row(words.version, String(receipt.version))}
            ${person === null ? "" : row(words.versions, versionsOf(person.acts))}
            ${files.map(({ name, sha256 }) => row(name, `SHA-256 ${sha256}`))}
            ${row(words.upTo, String(receipt.seq))} ${row(words.chain, receipt.chain)}
            ${row(words.signed, words.withKey(when(receipt), receipt.keyId))}
            ${row(words.signature, receipt.signature)} ${row(words.keys, receipt.keys)}
            ${row(words.address, address)}
          </table>
          <div class="qr">${raw(renderSVG(address))}</div>
        </main>
        ${person === null ? "" : languageLinks(language, words)}
      </body>
    </html>`;
  return new Response(String(page), { headers: HEADERS });
}

type TimeFormatter = ReturnType<typeof timeFormatter>;

function ownPart(acts: readonly OwnAct[], words: ReceiptWords, when: TimeFormatter) {
  const heads = [words.whatYouDid, words.time];
  return html`<h2>${words.yourPart}</h2>
    <table class="facts">
      ${headRow(heads)} ${acts.map((act) => labelledRow(heads, act.what, when(act)))}
    </table>`;
}

const versionsOf = (acts: readonly OwnAct[]): string =>
  acts.map(({ what, version }) => `${what} (${version})`).join(", ");

/** Empty if no approval was required or given. */
function approvalsPart(
  { given, needed }: Receipt["approvals"],
  words: ReceiptWords,
  when: TimeFormatter,
) {
  if (needed === 0 && given.length === 0) return "";
  return html`<h2>${words.approvals(given.length, needed)}</h2>
    <table class="facts">
      ${given.map((one) =>
        row(
          when(one),
          words.by(describeActor(one, words)),
          one.version === undefined ? "" : words.ofVersion(one.version),
          one.identity === undefined
            ? ""
            : words.identity(one.identity.subject, one.identity.issuer),
          one.comment ?? "",
        ),
      )}
    </table>`;
}

const languageLinks = (chosen: ReceiptLanguage, { languages }: ReceiptWords) =>
  html`<nav class="languages" aria-label="${languages}">
    ${Object.entries(RECEIPT_WORDS).map(([tag, { language }]) =>
      tag === chosen
        ? html`<span lang="${tag}" aria-current="true">${language}</span> `
        : html`<a href="?lang=${tag}" lang="${tag}" hreflang="${tag}">${language}</a> `,
    )}
  </nav>`;
