/**
 * Twelve realistic schemas, each with the steps of a person who answers it and the expected fields.
 */
import type { Json, JsonObject } from "../../src/domain/json.ts";

/** A label, and the action on its input. */
export type Step = readonly [
  label: string,
  how: "type" | "choose" | "pick" | "tick" | "add" | "attach",
  what?: string,
];

interface RealForm {
  readonly name: string;
  readonly schema: JsonObject;
  readonly steps: readonly Step[];
  readonly expects: Readonly<Record<string, Json>>;
}

const text = (title: string, more: JsonObject = {}): JsonObject => ({
  type: "string",
  title,
  ...more,
});
const object = (
  properties: JsonObject,
  required: string[] = [],
  more: JsonObject = {},
): JsonObject => ({
  type: "object",
  properties,
  required,
  ...more,
});
const consent = (title: string): JsonObject => ({ const: true, title });
/** Parsed from JSON, because the linter takes an object with `then` for a promise. */
const when = (condition: JsonObject, applied: JsonObject): JsonObject =>
  JSON.parse(
    `{"if": ${JSON.stringify(condition)}, "then": ${JSON.stringify(applied)}}`,
  ) as JsonObject;

export const FORMS: readonly RealForm[] = [
  {
    name: "Insurance claim",
    schema: object(
      {
        policy: text("Policy number", { pattern: "^[A-Z]{2}-\\d{6}$", examples: ["AB-123456"] }),
        kind: {
          title: "What happened?",
          oneOf: [
            { const: "water", title: "Water damage" },
            { const: "fire", title: "Fire" },
            { const: "theft", title: "Theft" },
          ],
        },
        day: text("Day of the damage", { format: "date" }),
        amount: {
          type: "number",
          title: "Estimated damage",
          minimum: 0,
          "x-baton": { unit: "EUR" },
        },
        story: text("What happened, in your words", { maxLength: 4000 }),
        truth: consent("Everything I say here is true"),
      },
      ["policy", "kind", "day", "amount", "truth"],
    ),
    steps: [
      ["Policy number", "type", "AB-123456"],
      ["What happened?", "choose", "Water damage"],
      ["Day of the damage", "type", "2026-10-01"],
      ["Estimated damage", "type", "1250,50"],
      ["What happened, in your words", "type", "A pipe burst.\nThe kitchen is wet."],
      ["Everything I say here is true", "tick"],
    ],
    expects: {
      policy: "AB-123456",
      kind: "water",
      day: "2026-10-01",
      amount: 1250.5,
      story: "A pipe burst.\nThe kitchen is wet.",
      truth: true,
    },
  },
  {
    name: "Travel request",
    schema: object(
      {
        city: text("Destination"),
        from: text("First day", { format: "date" }),
        until: text("Last day", { format: "date" }),
        way: { title: "How do you travel?", enum: ["Train", "Plane", "Car"] },
        hotel: { type: "boolean", title: "Do you need a hotel?" },
      },
      ["city", "from", "until", "way", "hotel"],
    ),
    steps: [
      ["Destination", "type", "Oslo"],
      ["First day", "type", "2027-01-04"],
      ["Last day", "type", "2027-01-06"],
      ["How do you travel?", "choose", "Train"],
      ["Do you need a hotel?", "choose", "Yes"],
    ],
    expects: { city: "Oslo", from: "2027-01-04", until: "2027-01-06", way: "Train", hotel: true },
  },
  {
    name: "KYC",
    schema: object(
      {
        name: text("Full name", { minLength: 2 }),
        born: text("Date of birth", { format: "date" }),
        nation: {
          title: "Nationality",
          enum: ["Austria", "Brazil", "Canada", "Denmark", "Estonia", "France", "Germany"],
        },
        home: object(
          { street: text("Street"), zip: text("Postcode"), town: text("Town") },
          ["street", "zip", "town"],
          { title: "Address" },
        ),
        exposed: { type: "boolean", title: "Are you a politically exposed person?" },
      },
      ["name", "born", "nation", "home", "exposed"],
    ),
    steps: [
      ["Full name", "type", "Ada Lovelace"],
      ["Date of birth", "type", "1985-12-10"],
      ["Nationality", "pick", "Denmark"],
      ["Street", "type", "Main Street 1"],
      ["Postcode", "type", "1000"],
      ["Town", "type", "Aarhus"],
      ["Are you a politically exposed person?", "choose", "No"],
    ],
    expects: {
      name: "Ada Lovelace",
      born: "1985-12-10",
      nation: "Denmark",
      home: { street: "Main Street 1", zip: "1000", town: "Aarhus" },
      exposed: false,
    },
  },
  {
    name: "Purchase approval",
    schema: object(
      {
        decision: {
          title: "Decision",
          oneOf: [
            { const: "yes", title: "Approve the purchase" },
            { const: "no", title: "Refuse it" },
          ],
        },
        limit: { type: "integer", title: "Up to", default: 500, "x-baton": { unit: "EUR" } },
        why: text("Reason for your decision"),
      },
      ["decision"],
    ),
    steps: [
      ["Decision", "choose", "Approve the purchase"],
      ["Reason for your decision", "type", "We need it"],
    ],
    expects: { decision: "yes", limit: 500, why: "We need it" },
  },
  {
    name: "Bug report",
    schema: object(
      {
        title: text("Short title"),
        steps: { type: "array", title: "Steps", items: { type: "string" }, minItems: 1 },
        severity: { title: "Severity", enum: ["low", "high"] },
        mail: text("Your e-mail", { format: "email" }),
        site: text("Page", { format: "uri" }),
      },
      ["title", "steps", "severity"],
    ),
    steps: [
      ["Short title", "type", "It breaks"],
      ["Steps 1", "type", "Open it"],
      ["Steps", "add"],
      ["Steps 2", "type", "Press the button"],
      ["Severity", "choose", "high"],
      ["Your e-mail", "type", "ada@example.com"],
      ["Page", "type", "example.com/a"],
    ],
    expects: {
      title: "It breaks",
      steps: ["Open it", "Press the button"],
      severity: "high",
      mail: "ada@example.com",
      site: "https://example.com/a",
    },
  },
  {
    name: "Medical intake",
    schema: {
      ...object(
        {
          age: { type: "integer", title: "Age", minimum: 0, maximum: 130 },
          complaints: {
            type: "array",
            title: "Complaints",
            items: { enum: ["Cough", "Fever", "Pain"] },
          },
          smokes: { title: "Do you smoke?", enum: ["Yes", "No"] },
        },
        ["age", "smokes"],
      ),
      ...when(
        { properties: { smokes: { const: "Yes" } }, required: ["smokes"] },
        object({ perDay: { type: "integer", title: "Cigarettes a day" } }, ["perDay"]),
      ),
    },
    steps: [
      ["Age", "type", "41"],
      ["Complaints", "choose", "Cough"],
      ["Complaints", "choose", "Pain"],
      ["Do you smoke?", "choose", "Yes"],
      ["Cigarettes a day", "type", "5"],
    ],
    expects: { age: 41, complaints: ["Cough", "Pain"], smokes: "Yes", perDay: 5 },
  },
  {
    name: "Job application",
    schema: object(
      {
        name: text("Your name"),
        phone: text("Telephone", { format: "tel" }),
        jobs: {
          type: "array",
          title: "Jobs so far",
          items: object({ at: text("Employer"), years: { type: "number", title: "Years" } }, [
            "at",
          ]),
        },
        letter: text("Letter", { format: "markdown" }),
      },
      ["name", "jobs"],
    ),
    steps: [
      ["Your name", "type", "Ada"],
      ["Telephone", "type", "+45 12 34 56 78"],
      ["Employer", "type", "Analytical Engines"],
      ["Years", "type", "3.5"],
      ["Letter", "type", "**Hello**"],
    ],
    expects: {
      name: "Ada",
      phone: "+45 12 34 56 78",
      jobs: [{ at: "Analytical Engines", years: 3.5 }],
      letter: "**Hello**",
    },
  },
  {
    name: "Event registration",
    schema: object(
      {
        who: text("Name on the badge"),
        arrives: text("Arrival", { format: "time" }),
        meal: { title: "Meal", enum: ["Meat", "Fish", "Vegetables"] },
        news: { type: "boolean", title: "Send me news", default: false },
      },
      ["who", "meal"],
    ),
    steps: [
      ["Name on the badge", "type", "Ada L."],
      ["Arrival", "type", "09:30"],
      ["Meal", "choose", "Fish"],
      ["Send me news", "tick"],
    ],
    expects: { who: "Ada L.", arrives: "09:30:00", meal: "Fish", news: true },
  },
  {
    name: "Address book",
    schema: object(
      {
        numbers: {
          type: "object",
          title: "Numbers",
          additionalProperties: { type: "string", title: "Number" },
        },
        color: text("Colour", { pattern: "^#[0-9a-f]{6}$" }),
      },
      ["numbers"],
    ),
    steps: [
      ["Numbers 1: Name", "type", "Home"],
      ["Numbers 1: Number", "type", "12 34"],
      ["Colour", "type", "#aabbcc"],
    ],
    expects: { numbers: { Home: "12 34" }, color: "#aabbcc" },
  },
  {
    name: "Survey with branches",
    schema: object(
      {
        contact: {
          title: "How shall we reach you?",
          oneOf: [
            object(
              { by: { const: "mail" }, mail: text("E-mail address", { format: "email" }) },
              ["by", "mail"],
              { title: "By e-mail" },
            ),
            object(
              { by: { const: "post" }, street: text("Street and number"), town: text("Town") },
              ["by", "street", "town"],
              { title: "By post" },
            ),
          ],
        },
      },
      ["contact"],
    ),
    steps: [
      ["How shall we reach you?", "choose", "By post"],
      ["Street and number", "type", "Main Street 1"],
      ["Town", "type", "Aarhus"],
    ],
    expects: { contact: { by: "post", street: "Main Street 1", town: "Aarhus" } },
  },
  {
    name: "Contract sign-off",
    schema: object(
      {
        version: { const: "2026-11", title: "Version of the contract" },
        name: text("Name as signed"),
        agree: consent("I agree to the contract"),
        privacy: consent("I have read the privacy notice"),
      },
      ["version", "name", "agree", "privacy"],
    ),
    steps: [
      ["Name as signed", "type", "Ada Lovelace"],
      ["I agree to the contract", "tick"],
      ["I have read the privacy notice", "tick"],
    ],
    expects: { version: "2026-11", name: "Ada Lovelace", agree: true, privacy: true },
  },
  {
    name: "Photo report",
    schema: object(
      {
        at: text("Taken on", { format: "date" }),
        size: {
          type: "array",
          title: "Size in metres",
          prefixItems: [
            { type: "number", title: "Length" },
            { type: "number", title: "Width" },
          ],
          minItems: 2,
        },
        photos: {
          type: "array",
          title: "Photos",
          items: { type: "object", format: "file", accept: ["image/*"], maxBytes: 5_000_000 },
          minItems: 1,
          maxItems: 3,
        },
      },
      ["at", "size", "photos"],
    ),
    steps: [
      ["Taken on", "type", "2026-11-01"],
      ["Length", "type", "4"],
      ["Width", "type", "2.5"],
      ["Photos", "attach", "roof.png,cellar.png"],
    ],
    expects: {
      at: "2026-11-01",
      size: [4, 2.5],
      photos: [{ name: "roof.png" }, { name: "cellar.png" }],
    },
  },
];
