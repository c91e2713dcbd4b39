import { describe, expect, it } from "vitest";
import { narrowSchema } from "../../../src/domain/participants/narrowed-schema";
import { narrowView } from "../../../src/domain/participants/narrowed-view";
import type { SessionId } from "../../../src/domain/ids";
import { viewSession } from "../../../src/domain/session/view";
import { participantWith, sessionWith } from "./sample";

const SCHEMA = {
  type: "object",
  properties: { decision: { type: "string" }, secret: { type: "string" } },
  required: ["decision", "secret"],
};
const AGENT = { kind: "agent", id: "canary-agent" } as const;
const AT = "2026-03-01T00:00:00.000Z";

const whole = viewSession(
  "ses_1" as SessionId,
  sessionWith({
    title: "Shall we pay?",
    schema: SCHEMA,
    fields: { decision: "yes", secret: "canary-value" },
    createdBy: AGENT,
    belongs: { owner: "canary-owner", externalId: "canary-id" } as never,
    labels: { canary: "label" } as never,
    location: { jurisdiction: "eu", locationHint: "weur" },
    idleTtlMs: 60_000,
    review: {
      required: true,
      approvals: 1,
      identity: true,
      approvedBy: [
        { participant: "par_2", actor: { kind: "human", id: "h" }, at: AT, comment: "canary" },
      ],
      requestedChanges: {
        actor: { kind: "human", id: "h" },
        at: AT,
        comment: "Look again",
        fields: { decision: "Sure?", secret: "canary" },
      },
    },
  }),
  7,
  [participantWith({ number: 2 }), participantWith({ number: 3, actor: AGENT })],
  new Set(),
);

describe("narrowView", () => {
  const narrowed = narrowView(
    whole,
    { ask: ["decision"], visible: ["decision"], read: null, showsTexts: true },
    2,
  );

  it("has only the members that a page needs", () => {
    expect(Object.keys(narrowed).toSorted()).toEqual([
      "expiresAt",
      "fieldMeta",
      "fields",
      "head",
      "id",
      "missingFields",
      "participants",
      "review",
      "schema",
      "state",
      "title",
      "updatedAt",
      "updatedBy",
      "version",
    ]);
    expect(Object.keys(narrowed.review).toSorted()).toEqual([
      "approvals",
      "approvedBy",
      "requestedChanges",
      "required",
    ]);
  });

  it("contains nothing that is neither requested nor visible", () => {
    expect(JSON.stringify(whole)).toContain("canary-owner");
    const { updatedBy: _, ...rest } = narrowed;
    expect(JSON.stringify(rest)).not.toContain("canary");
    expect(JSON.stringify(rest)).not.toContain("secret");
    expect(narrowed.review.requestedChanges).toMatchObject({
      comment: "Look again",
      fields: { decision: "Sure?" },
    });
  });

  it("does not expose members that are added later", () => {
    const later = { ...whole, later: "canary", review: { ...whole.review, later: "canary" } };
    const { updatedBy: _, ...rest } = narrowView(
      later,
      { ask: [], visible: [], read: null, showsTexts: true },
      2,
    );
    expect(JSON.stringify(rest)).not.toContain("canary");
  });
});

describe("narrowSchema", () => {
  it("keeps the parts that it does not understand", () => {
    const conditional = { ...SCHEMA, if: { properties: { secret: { const: "x" } } } };
    expect(narrowSchema(conditional, ["decision"])).toEqual({
      type: "object",
      properties: { decision: { type: "string" } },
      required: ["decision"],
      if: { properties: { secret: { const: "x" } } },
    });
    expect(narrowSchema(null, ["decision"])).toBe(null);
  });

  it.each([
    ["#/$defs/text", false],
    ["#/properties/secret", true],
    ["#", true],
  ])("stays whole with a reference to %s: %s", ($ref, isWhole) => {
    const referring = { ...SCHEMA, properties: { ...SCHEMA.properties, decision: { $ref } } };
    expect(narrowSchema(referring, ["decision"]) === referring).toBe(isWhole);
  });
});
