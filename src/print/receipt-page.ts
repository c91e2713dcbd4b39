/** A receipt as a page to print: what its JSON says, in words, with a QR code of its address. No script. */
import { html, raw } from "hono/html";
import { renderSVG } from "uqr";
import type { JsonObject } from "../domain/json";

interface Actor {
  readonly kind: string;
  readonly id: string;
  readonly name?: string;
}

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
  readonly fields: readonly (Act & { readonly field: string; readonly value: unknown })[];
  readonly files: readonly {
    readonly id: string;
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

const who = ({ by, actor = by }: Act): string =>
  actor === undefined ? "unknown" : `${actor.name ?? actor.id} (${actor.kind})`;

const when = ({ at }: Act): string => (at === undefined ? "" : at.replace("T", " ").slice(0, 19));

const valueText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);

const row = (name: string, ...cells: readonly string[]) =>
  html`<tr>
    <th scope="row">${name}</th>
    ${cells.map((cell) => html`<td>${cell}</td>`)}
  </tr>`;

/** Something that the reader of the receipt did. */
export interface OwnAct {
  readonly what: string;
  readonly at: string;
  readonly version: number;
}

/** `address` is where this page itself is. A person's has their own acts first, and a file to keep. */
export function answerReceiptPage(
  document: JsonObject,
  address: string,
  person: { readonly acts: readonly OwnAct[]; readonly file: string } | null = null,
): Response {
  const receipt = document as unknown as Receipt;
  const { approvals, files, fields, submitted, ended } = receipt;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Receipt: ${receipt.title ?? receipt.sessionId}</title>
        <link rel="stylesheet" href="/assets/page.css" />
      </head>
      <body>
        <main>
          <h1>Receipt</h1>
          <p>${receipt.title ?? ""}</p>
          <table>
            ${row("Session", receipt.sessionId)} ${row("State", receipt.state)}
            ${row("Version", String(receipt.version))}
            ${row(
              "Begun",
              `${when({ at: receipt.createdAt })} by ${who({ by: receipt.createdBy })}`,
            )}
            ${submitted === null ? "" : row("Submitted", `${when(submitted)} by ${who(submitted)}`)}
            ${ended === null ? "" : row("Ended", `${when(ended)} by ${who(ended)}`)}
          </table>
          ${person === null ? "" : ownPart(person.acts)}
          <h2>What was filled in</h2>
          <table>
            <tr>
              <th>Field</th>
              <th>Value</th>
              <th>By</th>
              <th>Time (UTC)</th>
            </tr>
            ${fields.map((one) => row(one.field, valueText(one.value), who(one), when(one)))}
          </table>
          ${files.length === 0 ? "" : html`<h2>Files</h2>`}
          <table>
            ${files.map(({ id, name, sha256 }) => row(id, name, `SHA-256 ${sha256}`))}
          </table>
          <h2>Approvals: ${approvals.given.length} of ${approvals.needed} needed</h2>
          <table>
            ${approvals.given.map((one) =>
              row(
                who(one),
                when(one),
                one.version === undefined ? "" : `version ${one.version}`,
                one.identity === undefined
                  ? ""
                  : `${one.identity.subject} at ${one.identity.issuer}`,
                one.comment ?? "",
              ),
            )}
          </table>
          <h2>Proof</h2>
          <table>
            ${row("Log up to event", String(receipt.seq))} ${row("Chain", receipt.chain)}
            ${row("Signed", `${when(receipt)} UTC with the key ${receipt.keyId}`)}
            ${row("Signature", receipt.signature)} ${row("Public keys", receipt.keys)}
            ${row("Address", address)}
          </table>
          <p>
            ${person === null
              ? "To check this receipt, ask for it as JSON at the address above and run "
              : html`To check this receipt, keep <a href="${person.file}">its file</a> and run `}
            <code>baton verify</code> on the file.
          </p>
          <div class="qr">${raw(renderSVG(address))}</div>
        </main>
      </body>
    </html>`;
  return new Response(String(page), { headers: HEADERS });
}

const ownPart = (acts: readonly OwnAct[]) =>
  html`<h2>Your part</h2>
    <table>
      <tr>
        <th>What you did</th>
        <th>Time (UTC)</th>
        <th>Version after it</th>
      </tr>
      ${acts.map((act) => row(act.what, when(act), String(act.version)))}
    </table>`;
