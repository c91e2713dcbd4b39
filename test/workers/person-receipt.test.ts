/** The receipt of a person who used a link: what they did, limited to what they may see. */
import { describe, expect, it } from "vitest";
import { verifyDocument } from "../../src/verify/index";
import { sendFrom } from "../support/caller";
import { createLinkedSession, person, SCHEMA } from "../support/links";
import { formOf, Person } from "../support/person";
import { client } from "../support/worker";

const HIDDEN = "canary-hidden";

const headingsOf = (text: string) =>
  [...text.matchAll(/<(?:h1|h2|th)[^>]*>([^<]+)</g)].map(([, word = ""]) => word.trim());

describe("a person's receipt", () => {
  // Shows EV-7.
  it("is available once they have answered, with what they did, a proof, a QR code and no script", async () => {
    const { session, code } = await createLinkedSession({}, { schema: SCHEMA });
    const linkHolder = person();
    const page = await linkHolder.open(code, "Ada");
    expect(page.html).not.toContain(`/h/${code}/receipt`);
    expect((await linkHolder.go("GET", `/h/${code}/receipt`)).status).toBe(404);
    const done = await linkHolder.press(code, page.html, "submit", { "f/city": "Oslo <b>" });
    expect(done.html).toContain(`href="/h/${code}/receipt"`);

    const { status, headers, html } = await linkHolder.go("GET", `/h/${code}/receipt`);
    expect(status).toBe(200);
    expect(headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    expect(headers.get("Cache-Control")).toBe("no-store");
    const [, own = ""] = /Your part([^]*?)<\/table>/.exec(html) ?? [];
    expect(own).toContain("filled in: City");
    expect(own).toContain("sent the answers");
    expect(own).not.toContain("started this");
    expect(html).toContain("Oslo &lt;b&gt;");
    expect(html).toContain("Ada (person)");
    expect(html).toContain(session.id);
    expect(html).toContain(`http://localhost:8787/h/${code}/receipt`);
    expect(html).toContain("<svg");
    expect(html).not.toMatch(/<script|rtok_/);
  });

  it("names answers and files as on the page, not as they are stored", async () => {
    const { code } = await createLinkedSession(
      {},
      {
        schema: {
          type: "object",
          properties: {
            open: { type: "boolean", title: "Open?" },
            scan: { type: "object", format: "file", title: "Scan" },
          },
        },
      },
    );
    const linkHolder = person();
    const page = await linkHolder.open(code);
    const form = new FormData();
    for (const [name, text] of Object.entries(formOf(page.html))) form.set(name, text);
    form.set("f/open", "true");
    form.set("file/scan", new File(["signed"], "scan of June.txt", { type: "text/plain" }));
    form.set("action", "submit");
    await linkHolder.go("POST", `/h/${code}/act`, form, { "Content-Length": "1000" });
    const { html } = await linkHolder.go("GET", `/h/${code}/receipt`);
    expect(html).toMatch(/Open\?<\/th>\s*<td[^>]*><bdi>Yes</);
    expect(html).toMatch(/Scan<\/th>\s*<td[^>]*><bdi>scan of June\.txt</);
    expect(html).not.toContain("upl_1");
  });

  // Shows EV-7.
  it("verifies as a file, and shows only fields that were asked or shown", async () => {
    const schema = {
      type: "object",
      properties: {
        city: { type: "string" },
        shown: { type: "string" },
        salary: { type: "string" },
      },
    };
    const terms = { ask: ["city"], show: ["shown"] };
    const fields = { shown: "seen", salary: HIDDEN };
    const { session, code } = await createLinkedSession(terms, { schema, fields });
    const linkHolder = person();
    const page = await linkHolder.open(code);
    await linkHolder.press(code, page.html, "submit", { "f/city": "Oslo" });
    const printed = await linkHolder.go("GET", `/h/${code}/receipt`);
    const file = await linkHolder.go("GET", `/h/${code}/receipt?file`);

    expect(file.headers.get("Content-Disposition")).toContain("attachment");
    expect(printed.html + file.html).not.toContain(HIDDEN);
    const document = JSON.parse(file.html);
    expect(document.receipt.fields.map(({ field }: { field: string }) => field).sort()).toEqual([
      "city",
      "shown",
    ]);
    const { body } = await client.call("GET", "/.well-known/baton-keys.json");
    expect(await verifyDocument(document, body.keys)).toMatchObject({
      whole: true,
      kind: "receipt",
      sessionId: session.id,
    });
  });

  // Shows EV-7.
  it.each([
    ["es", "ltr", "Recibo", "Su parte", "Enviado", "Ada (persona)", "por un agente de software"],
    [
      "de",
      "ltr",
      "Quittung",
      "Ihr Teil",
      "Abgesendet",
      "Ada (Person)",
      "von einem Software-Agenten",
    ],
    ["ar", "rtl", "إيصال", "ما يخصك", "أُرسل", "Ada (شخص)", "بواسطة وكيل برمجي"],
    // Shows EV-7.
  ])("is in the language of the page: %s", async (language, direction, ...texts) => {
    const { code } = await createLinkedSession({}, { schema: SCHEMA });
    const linkHolder = person();
    const page = await linkHolder.open(code, "Ada");
    await linkHolder.press(code, page.html, "submit", { "f/city": "Oslo" });
    const { html } = await linkHolder.go("GET", `/h/${code}/receipt?lang=${language}`);
    expect(html).toContain(`<html lang="${language}" dir="${direction}">`);
    for (const text of texts) expect(html).toContain(text);
    const [, main = ""] = /<main>([^]*)<\/main>/.exec(html) ?? [];
    // No word of the English page is left, except for signed values.
    const { html: english } = await linkHolder.go("GET", `/h/${code}/receipt?lang=en`);
    const names = new Set(["City"]);
    const shared = headingsOf(english).filter(
      (word) => !names.has(word) && headingsOf(main).includes(word),
    );
    expect(shared).toEqual([]);
    expect(html).toContain('hreflang="en"');
  });

  it.each([
    ["en", "by a person who opened the link", "To check that this receipt is genuine"],
    ["es", "por una persona que abrió el enlace", "Para comprobar que este recibo es auténtico"],
    [
      "de",
      "von einer Person, die den Link geöffnet hat",
      "Um die Echtheit dieser Quittung zu prüfen",
    ],
    ["ar", "بواسطة شخص فتح الرابط", "للتحقق من صحة هذا الإيصال"],
  ])("is for a person to read, and has the proof below: %s", async (language, name, proof) => {
    const { code } = await createLinkedSession({}, { schema: SCHEMA });
    const linkHolder = person();
    const page = await linkHolder.open(code);
    await linkHolder.press(code, page.html, "submit", { "f/city": "Oslo" });
    const { html } = await linkHolder.go("GET", `/h/${code}/receipt?lang=${language}`);
    const [part = "", checks = ""] = html.split(`<h2>${proof}</h2>`);
    expect(part).toContain(name);
    expect(part).not.toMatch(/person-\d|\(human\)|agent \(|[Vv]ersion|baton verify|SHA-256/);
    expect(part).not.toMatch(/0 (?:of|de|von|من) 0/);
    expect(checks).toMatch(/baton verify[^]*<svg/);
    // With its time zone, as on the other pages.
    const times = part.match(/\d{1,2}:\d\d[^<]*/g) ?? [];
    expect(times.length).toBeGreaterThan(2);
    for (const time of times) expect(time).toMatch(/ UTC\b/);
  });

  it("states who approved if an approval was required", async () => {
    const { session, code, token } = await createLinkedSession(
      { scopes: ["review"] },
      { review: { required: true } },
    );
    await client.on(session, "POST", "/submit", { token, body: {} });
    const linkHolder = person();
    const page = await linkHolder.open(code);
    await linkHolder.press(code, page.html, "approve", { comment: "Fine" });
    const { html } = await linkHolder.go("GET", `/h/${code}/receipt?lang=de`);
    const [, approvals = ""] = /Genehmigungen: 1 von 1 nötigen([^]*?)<\/table>/.exec(html) ?? [];
    expect(approvals).toContain("von einer Person, die den Link geöffnet hat");
    expect(approvals).toContain("Fine");
  });

  // Shows EV-7.
  it("states what a reviewer decided", async () => {
    const { session, code, token } = await createLinkedSession(
      { scopes: ["review"] },
      { review: {} },
    );
    await client.on(session, "POST", "/submit", { token, body: {} });
    const linkHolder = person();
    const page = await linkHolder.open(code, "Rita");
    const rejected = await linkHolder.press(code, page.html, "reject", { reason: "Not ours" });
    expect(rejected.html).toContain(`href="/h/${code}/receipt"`);
    const { html } = await linkHolder.go("GET", `/h/${code}/receipt`);
    expect(html).toContain("rejected this: Not ours");
  });

  // Shows EV-7.
  it("redirects to the link without the cookie, and is not offered if nothing is signed", async () => {
    const { code } = await createLinkedSession({}, { schema: SCHEMA });
    const unsigned = new Person(sendFrom({}, { SIGNING_KEYS: "" }));
    const page = await unsigned.open(code);
    const done = await unsigned.press(code, page.html, "submit", { "f/city": "Oslo" });
    expect(done.status).toBe(200);
    expect(done.html).not.toContain("/receipt");
    expect((await unsigned.go("GET", `/h/${code}/receipt`)).status).toBe(404);
    const { status, headers } = await person().go("GET", `/h/${code}/receipt`);
    expect([status, headers.get("Location")]).toEqual([302, `/h/${code}`]);
  });
});
