/** A link as a person uses it without JavaScript, step by step. */
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits";
import { sendFrom } from "../support/caller";
import { createLinkedSession, person, SCHEMA, typesOf } from "../support/links";
import { createOwner } from "../support/test-owner";
import { formOf, hiddenIn } from "../support/person";
import { client, inside } from "../support/worker";

describe("the page without JavaScript", () => {
  // Shows D-12.
  it("saves the person's changes and leaves the agent as author of the rest", async () => {
    const { session, code, token } = await createLinkedSession();
    await client.on(session, "PATCH", "", {
      token,
      body: { fields: { age: 41 }, confidence: 0.4 },
    });
    const linkHolder = person();
    const page = await linkHolder.open(code, "Ada");
    expect(page.html).toContain("Only 40 % sure");
    const saved = await linkHolder.press(code, page.html, "save", { "f/city": "Oslo" });
    expect([saved.status, saved.html.includes("Saved.")]).toEqual([200, true]);
    const now = await linkHolder.go("GET", `/h/${code}`);
    expect(formOf(now.html)["f/city"]).toBe("Oslo");
    const stub = await inside(session, (_, { storage }) =>
      JSON.parse(String(storage.sql.exec("SELECT field_meta FROM session").one()["field_meta"])),
    );
    expect(stub).toMatchObject({
      age: { actor: { kind: "agent" } },
      city: { actor: { kind: "human", name: "Ada" } },
    });
  });

  it("shows the context before it asks for the answer", async () => {
    const schema = {
      type: "object",
      properties: {
        amount: { type: "number", title: "Amount", "x-baton": { unit: "EUR" } },
        approved: { type: "boolean", title: "Approved?" },
      },
    };
    const terms = { ask: ["approved"], show: ["amount"] };
    const { code } = await createLinkedSession(terms, { schema, fields: { amount: 12_500.5 } });
    const { html } = await person().open(code);
    const places = ["Please fill this", "12,500.50 EUR", 'name="f/approved"', 'value="submit"'];
    const found = places.map((place) => html.indexOf(place));
    expect(found).not.toContain(-1);
    expect(found).toEqual(found.toSorted((one, other) => one - other));
  });

  // Shows D-12.
  it("treats a double tap on save as one write", async () => {
    const { session, code } = await createLinkedSession();
    const linkHolder = person();
    const page = await linkHolder.open(code);
    const taps = await Promise.all(
      [1, 2].map(() => linkHolder.press(code, page.html, "save", { "f/city": "Oslo" })),
    );
    const third = await linkHolder.press(code, page.html, "save", { "f/city": "Oslo" });
    expect([...taps, third].map(({ status }) => status)).toEqual([200, 200, 200]);
    const events = await inside(session, (_, { storage }) =>
      storage.sql.exec("SELECT events FROM commits").toArray(),
    );
    expect(JSON.stringify(events).match(/fields\.updated/g)).toHaveLength(1);
  });

  // Shows D-12.
  it("shows both values if agent and person changed the same field, and loses neither", async () => {
    const { session, code, token } = await createLinkedSession();
    const linkHolder = person();
    const page = await linkHolder.open(code);
    const agent = await client.on(session, "PATCH", "", {
      token,
      body: { fields: { city: "Rome", age: 7 } },
    });
    const clash = await linkHolder.press(code, page.html, "save", { "f/city": "Oslo" });
    expect(clash.status).toBe(409);
    expect(formOf(clash.html)["f/city"]).toBe("Oslo");
    expect(clash.html).toContain("Use the other answer: Rome");
    const chosen = await linkHolder.press(code, clash.html, "save", { "choice/f/city": "mine" });
    expect(chosen.status, chosen.html).toBe(200);
    const { fields } = (await client.on(session, "GET", "", { token: agent.body.resumeToken })).body
      .session;
    expect(fields).toEqual({ city: "Oslo", age: 7 });
  });

  it("recognizes a change from the person's own other tab, and only that", async () => {
    const { code } = await createLinkedSession();
    const linkHolder = person();
    const page = await linkHolder.open(code);
    await linkHolder.press(code, page.html, "save", { "f/city": "Oslo" });
    const key = crypto.randomUUID();
    const clash = await linkHolder.press(code, page.html, "save", { "f/city": "Rome", key });
    expect(clash.status).toBe(409);
    expect(clash.html).toContain("You changed this in another tab or on another device.");
    expect(clash.html).not.toContain("Somebody else");
  });

  it("explains next to the input why a file is refused", async () => {
    const scan = { type: "object", format: "file", accept: ["image/*", "application/pdf"] };
    const schema = { type: "object", properties: { scan: { ...scan, maxBytes: 2_000 } } };
    const { code } = await createLinkedSession({}, { schema });
    const linkHolder = person();
    const page = await linkHolder.open(code);
    const send = async (type: string, size: number): Promise<string> => {
      const form = new FormData();
      for (const [name, text] of Object.entries(formOf(page.html))) form.append(name, text);
      form.append("action", "save");
      form.append("file/scan", new File(["x".repeat(size)], "scan", { type }));
      const length = { "Content-Length": String(size + 3_000) };
      const { html } = await linkHolder.go("POST", `/h/${code}/act`, form, length);
      return /id="f\/scan-error">([^<]*)</.exec(html)?.[1] ?? html;
    };
    const why = "scan: We could not upload this file: ";
    expect(await send("text/plain", 5)).toBe(`${why}it is of another kind. Accepted: images, PDF.`);
    expect(await send("image/png", 2_001)).toBe(`${why}it is larger than 2 KB.`);
    expect(await send("image/png", 0)).toBe(`${why}it is empty.`);
  });

  it("lets the person choose the other value", async () => {
    const { session, code, token } = await createLinkedSession();
    const linkHolder = person();
    const page = await linkHolder.open(code);
    const agent = await client.on(session, "PATCH", "", {
      token,
      body: { fields: { city: "Rome" } },
    });
    const clash = await linkHolder.press(code, page.html, "save", {
      "f/city": "Oslo",
      "f/age": "9",
    });
    const theirs = await linkHolder.press(code, clash.html, "save", { "choice/f/city": "theirs" });
    expect(theirs.status).toBe(200);
    const { fields } = (await client.on(session, "GET", "", { token: agent.body.resumeToken })).body
      .session;
    expect(fields).toEqual({ city: "Rome", age: 9 });
  });

  // Shows D-23.
  it("saves valid fields, and shows errors next to the other fields with all that was typed", async () => {
    const { session, code, token } = await createLinkedSession();
    const linkHolder = person();
    const page = await linkHolder.open(code);
    const wrong = await linkHolder.press(code, page.html, "save", {
      "f/age": "old",
      "f/city": "Oslo",
    });
    expect(wrong.status).toBe(422);
    expect(formOf(wrong.html)).toMatchObject({ "f/age": "old", "f/city": "Oslo" });
    expect(wrong.html).toContain('id="f/age-error"');
    expect(wrong.html).toContain("Everything is saved except this:");
    const { fields } = (await client.on(session, "GET", "", { token })).body.session;
    expect(fields).toEqual({ city: "Oslo" });
    const missing = await linkHolder.press(code, wrong.html, "submit", {
      "f/age": "4",
      "f/city": "",
    });
    expect(missing.status).toBe(422);
    expect(missing.html).toContain('id="f/city-error"');
  });

  // Shows D-23.
  it("does not report missing fields when a person saves a draft", async () => {
    const rooms = { type: "array", title: "Rooms", minItems: 1, items: { type: "string" } };
    const schema = {
      type: "object",
      required: ["rooms"],
      properties: { city: { type: "string" }, rooms },
    };
    const { session, code, token } = await createLinkedSession({}, { schema });
    const linkHolder = person();
    const page = await linkHolder.open(code);
    const saved = await linkHolder.press(code, page.html, "save", { "f/city": "Oslo" });
    expect([saved.status, saved.html.includes("Saved.")]).toEqual([200, true]);
    const { fields } = (await client.on(session, "GET", "", { token })).body.session;
    expect(fields).toEqual({ city: "Oslo" });
    const sent = await linkHolder.press(code, saved.html, "submit");
    expect([sent.status, sent.html.includes('id="f/rooms-error"')]).toEqual([422, true]);
  });

  it("submits, follows the review, and ends with a receipt", async () => {
    const filler = await createLinkedSession({}, { schema: SCHEMA, review: { required: true } });
    const { session, code } = filler;
    const second = await client.on(session, "POST", "/handoffs", {
      token: filler.token,
      body: { to: "human", scopes: ["review"] },
    });
    const reviewCode = second.body.handoff.code as string;
    const linkHolder = person();
    const reviewer = person();
    const page = await linkHolder.open(code);
    const submitted = await linkHolder.press(code, page.html, "submit", { "f/city": "Oslo" });
    expect(submitted.html).toContain("Waiting for a decision");
    const review = await reviewer.open(reviewCode, "Rita");
    const requested = await reviewer.press(reviewCode, review.html, "requestChanges", {
      comment: "Nearly",
      "comment/f/city": "Which one?",
    });
    expect(requested.status, requested.html).toBe(200);
    const back = await linkHolder.go("GET", `/h/${code}`);
    expect(back.html).toContain("Which one?");
    await linkHolder.press(code, back.html, "submit", { "f/city": "Oslo, Norway" });
    const repeated = await reviewer.go("GET", `/h/${reviewCode}`);
    expect(repeated.html).toContain("Oslo, Norway");
    const approved = await reviewer.press(reviewCode, repeated.html, "approve");
    expect(approved.html).toContain("Approved");
    const owner = second.body.resumeToken as string;
    const resumed = await client.on(session, "POST", "/resume", { token: owner, body: {} });
    await client.on(session, "POST", "/finalize", { token: resumed.body.resumeToken, body: {} });
    const receipt = await linkHolder.go("GET", `/h/${code}`);
    expect(receipt.html).toContain("Receipt");
  });

  it("rejects with a reason", async () => {
    const { session, code, token } = await createLinkedSession(
      { scopes: ["review"] },
      { review: {} },
    );
    await client.on(session, "POST", "/submit", { token, body: {} });
    const linkHolder = person();
    const page = await linkHolder.open(code);
    const rejected = await linkHolder.press(code, page.html, "reject", { reason: "Not ours" });
    expect([rejected.status, rejected.html.includes("Reason (optional): Not ours")]).toEqual([
      200,
      true,
    ]);
  });

  it("hands back with a message, and passes the work to an agent with a token shown once", async () => {
    const { session, code, token } = await createLinkedSession({ scopes: ["fill", "handoff"] });
    const linkHolder = person();
    const page = await linkHolder.open(code);
    const back = await linkHolder.press(code, page.html, "handBack", { message: "Over to you" });
    expect(back.html).toContain("Your message was sent");
    const log = await client.on(session, "GET", "/events?after=0&type=handoff.answered", {
      token,
    });
    expect(log.body.events).toMatchObject([
      { state: "in_progress", payload: { answer: "handed_back", message: "Over to you" } },
    ]);
    const passed = await linkHolder.press(code, back.html, "passOn");
    const twice = await linkHolder.press(code, back.html, "passOn");
    const shown = /rtok_[\w-]{88}/.exec(passed.html)?.[0] ?? "";
    expect(/rtok_[\w-]{88}/.exec(twice.html)?.[0]).toBe(shown);
    const agent = await client.on(session, "POST", "/resume", { token: shown, body: {} });
    expect(agent.status, agent.text).toBe(200);
    expect((await linkHolder.go("GET", `/h/${code}`)).html).not.toContain("rtok_");
  });

  it("accepts no action from another site or without the cookie", async () => {
    const { session, code, token } = await createLinkedSession();
    const linkHolder = person();
    const page = await linkHolder.open(code);
    const before = await typesOf(session, token);
    const form = { ...formOf(page.html), "f/city": "Oslo", action: "save" };
    const cross = await linkHolder.go("POST", `/h/${code}/act`, form, {
      Origin: "https://evil.example",
      "Sec-Fetch-Site": "cross-site",
    });
    const withoutCookie = await person().go("POST", `/h/${code}/act`, form);
    expect([cross.status, withoutCookie.status]).toEqual([403, 403]);
    expect(await typesOf(session, token)).toEqual(before);
  });

  it("does not read a form from another site, or from a browser that was shown no page", async () => {
    const { code } = await createLinkedSession();
    const { settings } = createOwner();
    const foreign = { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
    const nonce = { Cookie: "baton-nonce=n; baton-console-nonce=n" };
    let pieces = 0;
    const post = async (path: string, headers: Record<string, string>): Promise<number> => {
      const source: UnderlyingSource = {
        pull(controller: ReadableStreamDefaultController) {
          pieces += 1;
          controller.enqueue(new TextEncoder().encode("nonce=n"));
          controller.close();
        },
      };
      const body = new ReadableStream(source, { highWaterMark: 0 });
      const type = { "Content-Type": "application/x-www-form-urlencoded", "Content-Length": "7" };
      const request = new Request(`http://localhost:8787${path}`, {
        method: "POST",
        headers: { ...type, ...headers },
        body,
      });
      return (await sendFrom({}, settings)(request)).status;
    };
    const paths = [`/h/${code}`, `/h/${code}/act`, "/console/sign-in", "/console/enter/x"];
    for (const path of paths) {
      expect([path, await post(path, {})]).toEqual([path, 403]);
      expect([path, await post(path, { ...nonce, ...foreign })]).toEqual([path, 403]);
    }
    expect(pieces).toBe(0);
    // The counter works: the form is read only with its cookie and from its own origin.
    await post("/console/enter/x", nonce);
    expect(pieces).toBe(1);
  });

  it("ignores a comment on a field name that cannot be decoded", async () => {
    const { session, code } = await createLinkedSession(
      { scopes: ["review"] },
      { schema: SCHEMA, fields: { city: "Oslo" }, review: { required: true } },
    );
    await client.on(session, "POST", "/submit", { token: session.token, body: {} });
    const linkHolder = person();
    const page = await linkHolder.open(code);
    const form = { ...formOf(page.html), action: "requestChanges", "comment/f/%": "x" };
    const sent = await linkHolder.go("POST", `/h/${code}/act`, form);
    expect(sent.status, sent.html).toBeLessThan(500);
  });

  it("accepts a form of formEntries entries and not one more, in either encoding", async () => {
    const { code } = await createLinkedSession();
    const linkHolder = person();
    const page = await linkHolder.open(code);
    const own = { ...formOf(page.html), "f/city": "Oslo", action: "save" };
    const filled = (count: number): Record<string, string> => {
      const more = count - Object.keys(own).length;
      return {
        ...own,
        ...Object.fromEntries(Array.from({ length: more }, (_, n) => [`x${n}`, ""])),
      };
    };
    const inParts = (entries: Record<string, string>) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(entries)) form.set(name, value);
      return linkHolder.go("POST", `/h/${code}/act`, form, { "Content-Length": "1000" });
    };
    const overLimit = filled(LIMITS.formEntries + 1);
    expect((await linkHolder.go("POST", `/h/${code}/act`, overLimit)).status).toBe(413);
    expect((await inParts(overLimit)).status).toBe(413);
    const at = filled(LIMITS.formEntries);
    expect((await linkHolder.go("POST", `/h/${code}/act`, at)).status).toBe(200);
    expect((await inParts(at)).status).toBe(200);
  });

  it("reads a number of numberTextLength characters and not one more", async () => {
    const { session, code, token } = await createLinkedSession();
    const linkHolder = person();
    const { html } = await linkHolder.open(code);
    const save = (length: number) =>
      linkHolder.press(code, html, "save", { "f/age": "7".padStart(length, "$") });
    expect((await save(LIMITS.numberTextLength + 1)).status).toBe(422);
    expect((await save(LIMITS.numberTextLength)).status).toBe(200);
    const now = await client.on(session, "GET", "", { token });
    expect(now.body.session.fields).toEqual({ age: 7 });
  });

  it("never rounds a whole number, and reports that it has too many digits", async () => {
    const { session, code, token } = await createLinkedSession();
    const linkHolder = person();
    const { html } = await linkHolder.open(code);
    const why = "more digits than we can store exactly";
    for (const typed of ["9007199254740993", "9,007,199,254,740,993.00"]) {
      const sent = await linkHolder.press(code, html, "save", { "f/age": typed });
      expect([sent.status, sent.html.includes(why), formOf(sent.html)["f/age"]]).toEqual([
        422,
        true,
        typed,
      ]);
    }
    const word = await linkHolder.press(code, html, "save", { "f/age": "seven" });
    expect([word.status, word.html.includes(why)]).toEqual([422, false]);
    const now = await client.on(session, "GET", "", { token });
    expect(now.body.session.fields).toEqual({});
  });

  it("reads at most bodyBytes of a form that has no file field", async () => {
    const { code } = await createLinkedSession();
    const linkHolder = person();
    const { html } = await linkHolder.go("GET", `/h/${code}`);
    const nonce = hiddenIn(html, "nonce");
    const first = new FormData();
    first.set("nonce", nonce);
    const overLimit = { "Content-Length": String(LIMITS.bodyBytes + 1) };
    const at = { "Content-Length": String(LIMITS.bodyBytes) };
    expect((await linkHolder.go("POST", `/h/${code}`, { nonce }, overLimit)).status).toBe(403);
    expect((await linkHolder.go("POST", `/h/${code}`, first, overLimit)).status).toBe(403);
    const opened = await linkHolder.go("POST", `/h/${code}`, first, at);
    expect(opened.status).toBe(200);
    const save = { ...formOf(opened.html), "f/city": "Oslo", action: "save" };
    expect((await linkHolder.go("POST", `/h/${code}/act`, save, overLimit)).status).toBe(413);
    expect((await linkHolder.go("POST", `/h/${code}/act`, save, at)).status).toBe(200);
  });

  it("escapes everything it shows", async () => {
    const canary = `"><script>alert(1)</script><img src=x onerror=alert(1)>`;
    const schema = {
      type: "object",
      properties: { [canary]: { type: "string", title: canary, description: canary } },
    };
    const { code } = await createLinkedSession(
      { note: canary },
      { title: canary, schema, fields: { [canary]: canary }, actor: { id: canary, name: canary } },
    );
    const page = await person().open(code, canary);
    expect(page.html).toContain("&lt;script&gt;");
    expect(page.html).not.toContain("<script>alert");
    expect(page.html).not.toContain("<img src=x");
  });
});

describe("a submit after an automatic save of the same page", () => {
  it("is not a conflict with that save", async () => {
    const { session, code, token } = await createLinkedSession();
    const linkHolder = person();
    const page = await linkHolder.open(code);
    const saved = await linkHolder.press(code, page.html, "save", { "f/city": "Oslo" });
    expect(saved.status).toBe(200);
    const key = crypto.randomUUID();
    const sent = await linkHolder.press(code, page.html, "submit", { "f/city": "Oslo", key });
    expect([sent.status, sent.html.includes("Submitted.")], sent.html).toEqual([200, true]);
    const { state } = (await client.on(session, "GET", "", { token })).body.session;
    expect(state).toBe("submitted");
  });
});
