/** How a person reads a value: with the schema's texts, and numbers and days in the reader's format. */
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/domain/json.ts";
import type { Actor } from "../../../src/domain/participants/actor.ts";
import { Draw } from "../../../src/ui/form/draw.tsx";
import { ReadValue, readText } from "../../../src/ui/form/draw-value.tsx";
import { formModel, readOnlyNodes } from "../../../src/ui/form/fields.ts";
import type { Texts } from "../../../src/ui/form/node.ts";
import { labelsIn } from "../../../src/ui/form/problems.ts";
import { byActorText } from "../../../src/ui/text.ts";
import { readerOf } from "../../../src/ui/words/index.ts";

const properties: JsonObject = {
  kind: {
    title: "What happened?",
    oneOf: [
      { const: "pipe", title: "A burst pipe" },
      { const: "rain", title: "Rain" },
    ],
  },
  day: { type: "string", format: "date" },
  at: { type: "string", format: "date-time" },
  price: { type: "number", "x-baton": { unit: "EUR" } },
  fee: { type: "number", "x-baton": { unit: "€" } },
  yen: { type: "number", "x-baton": { unit: "JPY" } },
  size: { type: "number", "x-baton": { unit: "m²" } },
  stay: { type: "number", "x-baton": { unit: "MIN" } },
  colours: { type: "array", items: { oneOf: [{ const: 1, title: "Red" }] } },
  wanted: { type: "boolean", readOnly: true },
  page: { type: "string", format: "uri" },
  rooms: {
    type: "array",
    items: {
      type: "object",
      properties: { room: { type: "string", title: "Room" }, m2: { type: "number" } },
    },
  },
  pay: {
    oneOf: [
      {
        title: "To a bank account",
        type: "object",
        properties: { by: { const: "bank" }, iban: { type: "string", title: "IBAN" } },
      },
      { title: "In cash", type: "object", properties: { by: { const: "cash" } } },
    ],
  },
};

function text(key: string, value: Json | undefined, language = "en"): string {
  const fields = value === undefined ? {} : { [key]: value };
  const node = readOnlyNodes({ type: "object", properties }, fields).get(key) ?? null;
  return readText(node, value, readerOf(language));
}

function html(key: string, value: Json): string {
  const node = readOnlyNodes({ type: "object", properties }, { [key]: value }).get(key) ?? null;
  return String(ReadValue({ node, value, reader: readerOf("en"), downloads: "/h/x/files" }));
}

describe("a value in a line", () => {
  it("shows the label of the chosen option", () => {
    expect(text("kind", "pipe")).toBe("A burst pipe");
    expect(text("colours", [1])).toBe("Red");
    expect(text("wanted", false)).toBe("No");
  });

  it("writes numbers and days as the reader's language does, with the unit", () => {
    expect(text("price", 12_500.5)).toBe("12,500.50 EUR");
    expect(text("price", 1250.5, "de")).toBe("1.250,50 EUR");
    expect(text("price", 12_500.5, "ar")).toBe("12,500.50 EUR");
    expect(text("price", 123_456, "de")).toBe("123.456 EUR");
    expect(text("price", 0.0375)).toBe("0.0375 EUR");
    expect(text("fee", 9.5)).toBe("9.50 €");
    expect(text("yen", 1250.5)).toBe("1,250.5 JPY");
    expect(text("day", "2026-11-16")).toBe("Nov 16, 2026");
    expect(text("day", "2026-11-16", "de")).toBe("16.11.2026");
  });

  it("writes a number unchanged if its unit is not a currency", () => {
    expect(text("size", 12_500.5)).toBe("12,500.5 m²");
    expect(text("stay", 1.5)).toBe("1.5 MIN");
    expect(text("stay", 2026)).toBe("2026 MIN");
  });

  it("says that a value is missing, and shows what the schema did not expect", () => {
    expect(text("kind", undefined)).toBe("No answer");
    expect(text("kind", "other")).toBe("other");
    expect(text("day", "soon")).toBe("soon");
    expect(text("unknown", { aB: 1 })).toBe("A b: 1");
  });
});

describe("the author of a value", () => {
  it.each([
    ["en", "a software agent", "a person", "the operator"],
    ["de", "einem Software-Agenten", "einer Person", "dem Betreiber"],
    ["es", "un agente de software", "una persona", "el operador"],
    ["ar", "وكيل برمجي", "شخص", "المشغّل"],
  ])("has the grammatical case that the sentence needs: %s", (language, agent, human, owner) => {
    const { words } = readerOf(language);
    const sentence = (actor: Actor): string => words.page.filledBy(byActorText(actor, words));
    expect(sentence({ kind: "agent", id: "agent" })).toBe(words.page.filledBy(agent));
    expect(sentence({ kind: "human", id: "person-2" })).toBe(words.page.filledBy(human));
    expect(sentence({ kind: "owner", id: "owner" })).toBe(words.page.filledBy(owner));
    expect(sentence({ kind: "human", id: "person-2", name: "Ada" })).toContain("Ada (");
  });
});

describe("a value with parts", () => {
  it("names each part by its title", () => {
    const shown = html("rooms", [{ room: "Kitchen", m2: 12.5 }, { room: "Hall" }]);
    expect(shown).toMatch(/<ol.*<dt[^>]*>Room<\/dt>.*Kitchen.*12\.5.*<li>.*Hall.*<\/ol>/s);
  });

  it("names the variant and not its constant", () => {
    const shown = html("pay", { by: "bank", iban: "DE89" });
    expect(shown).toContain("To a bank account");
    expect(shown).toMatch(/IBAN<\/dt>.*DE89/s);
    expect(shown).not.toContain("bank<");
  });

  it("leaves a time to the reader's time zone, and links only to https", () => {
    expect(html("at", "2026-11-16T07:45:00+01:00")).toContain(
      '<time datetime="2026-11-16T07:45:00+01:00">Nov 16, 2026, 6:45 AM UTC</time>',
    );
    expect(html("page", "https://example.com/a")).toContain('href="https://example.com/a"');
    expect(html("page", "javascript:alert(1)")).not.toContain("href");
    expect(html("page", '"><script>')).not.toContain("<script>");
  });
});

const drawn = (property: JsonObject): string => {
  const { children } = formModel({
    schema: { type: "object", properties: { n: property } },
    fields: {},
    language: "en",
    ask: null,
    show: [],
  });
  const context = { ...readerOf("en"), texts: new Map(), errors: new Map(), downloads: "" };
  return children.map(({ node }) => String(Draw({ node, context }))).join();
};

describe("the input for a field", () => {
  const schema = {
    type: "object",
    properties: {
      call: { type: "boolean", default: true },
      tags: { type: "array", items: { type: "string" }, default: ["one", "two"] },
    },
  };

  it("keeps the direction of its own language in its label", () => {
    expect(drawn({ type: "string", title: "How?" })).toContain("<bdi>How?</bdi>");
  });

  it("writes the bounds of a year as years are written", () => {
    const year = drawn({ type: "integer", minimum: 1900, maximum: 2026 });
    expect(year).toContain("From 1900 to 2026.");
  });

  it("names an exclusive bound as exclusive", () => {
    const shown = drawn({ type: "number", exclusiveMinimum: 5 });
    expect(shown).toContain("Please enter more than 5.");
    expect(shown).not.toContain("5 or more");
  });

  it("is right below the question that it depends on", () => {
    const text = { type: "string" };
    const { children } = formModel({
      schema: {
        type: "object",
        properties: { kind: { enum: ["car", "bike"] }, town: text, why: text },
        dependentSchemas: {
          why: { properties: { more: text } },
          kind: { properties: { plate: text } },
        },
      },
      fields: {},
      language: "en",
      ask: null,
      show: [],
    });
    const names = children.map(({ key, node }) =>
      node.kind === "when" ? node.children.map((one) => `(${one.key})`).join() : key,
    );
    expect(names).toEqual(["kind", "(plate)", "town", "why", "(more)"]);
  });

  it("stays the same input after its value was saved", () => {
    const kinds = [{}, { call: false }].map((fields) =>
      formModel({ schema, fields, language: "en", ask: null, show: [] }).children.map(
        ({ node }) => node.kind,
      ),
    );
    expect(kinds[0]).toEqual(["check", "list"]);
    expect(kinds[1]).toEqual(kinds[0]);
  });
});

const formOf = (schema: JsonObject | null, texts: Texts = new Map()): string => {
  const model = formModel({ schema, fields: {}, language: "en", ask: null, show: [], texts });
  const context = { ...readerOf("en"), texts, errors: new Map(), downloads: "" };
  return model.children.map(({ node }) => String(Draw({ node, context }))).join("");
};

describe("the mark of a required answer", () => {
  it("is on the one answer if there is no schema", () => {
    expect(formOf(null)).toContain('<span class="required">Required</span>');
  });

  it("inside an optional part says that it is required only with the part", () => {
    const place = {
      type: "object",
      title: "Place",
      properties: { town: { type: "string" } },
      required: ["town"],
    };
    const optional = formOf({ type: "object", properties: { place } });
    expect(optional).toContain("Required if you fill in this part");
    expect(optional).not.toMatch(/>Required<|aria-required/);
    const required = formOf({ type: "object", properties: { place }, required: ["place"] });
    expect(required).toContain(">Required<");
    expect(required).not.toContain("Required if");
  });
});

it("a row has the same name in its heading and in the list of problems", () => {
  const items = { type: "object", title: "Thing", properties: { price: { type: "number" } } };
  const things = { type: "array", title: "Damaged things", items };
  const texts = new Map([["f/things/0/price", "x"]]);
  const schema = { type: "object", properties: { things } };
  const model = formModel({ schema, fields: {}, language: "en", ask: null, show: [], texts });
  const context = { ...readerOf("en"), texts, errors: new Map(), downloads: "" };
  const [child] = model.children;
  expect(String(child && Draw({ node: child.node, context }))).toContain(
    "<legend><bdi>Damaged things 1</bdi>",
  );
  expect(labelsIn(model.children).get("f/things/0/price")).toBe("Damaged things 1 – Price");
});
