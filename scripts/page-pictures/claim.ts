/** The form in the pictures: an insurance claim with most kinds of input. */
import type { JsonObject } from "../../src/domain/json.ts";

export const CLAIM: JsonObject = {
  type: "object",
  title: "Water damage claim",
  required: ["policy", "kind", "noticed", "amount", "rooms", "truth"],
  properties: {
    customer: { type: "string", title: "Customer" },
    estimate: { type: "string", title: "What we know so far", format: "markdown" },
    policy: {
      type: "string",
      title: "Policy number",
      description: "You find it at the top of your policy.",
      pattern: "^[A-Z]{2}-\\d{6}$",
      examples: ["AB-123456"],
      "x-baton": { section: "What happened" },
    },
    kind: {
      title: "What caused the damage?",
      oneOf: [
        { const: "pipe", title: "A burst pipe" },
        { const: "rain", title: "Rain or flood" },
        { const: "other", title: "Something else" },
      ],
    },
    noticed: { type: "string", format: "date-time", title: "When did you notice it?" },
    story: { type: "string", maxLength: 2000, title: "What happened, in your words" },
    rooms: {
      type: "array",
      title: "Damaged rooms",
      minItems: 1,
      items: {
        type: "object",
        required: ["room"],
        properties: {
          room: { type: "string", title: "Room" },
          area: { type: "number", title: "Wet floor", minimum: 0, "x-baton": { unit: "m²" } },
        },
      },
      "x-baton": { section: "The damage" },
    },
    amount: {
      type: "number",
      title: "Estimated damage",
      minimum: 0,
      "x-baton": { unit: "EUR" },
    },
    photos: {
      type: "array",
      title: "Photos",
      items: { type: "object", format: "file", accept: ["image/*"], maxBytes: 5_000_000 },
      maxItems: 5,
    },
    pay: {
      title: "How shall we pay you?",
      oneOf: [
        {
          title: "To a bank account",
          type: "object",
          required: ["iban"],
          properties: { iban: { type: "string", title: "IBAN" } },
        },
        {
          title: "To the repair company",
          type: "object",
          required: ["company"],
          properties: { company: { type: "string", title: "Name of the company" } },
        },
      ],
      "x-baton": { section: "Payment" },
    },
    reach: { type: "boolean", title: "Call me if something is unclear", default: true },
    truth: { const: true, title: "Everything I say here is true" },
  },
};

export const KNOWN = {
  customer: "Maria Keller, Oak Street 12",
  estimate: "Called on **Monday** at 08:10.\n\n- Kitchen and hallway are wet\n- The water is off",
  amount: 1250.5,
};

/** The same question in Arabic. */
export const ARABIC: JsonObject = {
  type: "object",
  required: ["name", "way", "day"],
  properties: {
    name: { type: "string", title: "الاسم الكامل" },
    way: {
      title: "كيف ستسافر؟",
      oneOf: [
        { const: "train", title: "بالقطار" },
        { const: "plane", title: "بالطائرة" },
      ],
    },
    day: { type: "string", format: "date", title: "يوم الوصول" },
    phone: { type: "string", format: "tel", title: "رقم الهاتف" },
  },
};

export const STEPPED: JsonObject = { ...CLAIM, "x-baton": { steps: true } };
