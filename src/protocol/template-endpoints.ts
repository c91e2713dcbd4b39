/** Routes of an owner's templates. The body of a PUT is the definition itself. */
import * as z from "zod";
import { LIMITS } from "../domain/limits";
import { BODY, type Endpoint } from "./endpoint";
import { byKey, readsByKey } from "./owner-endpoints";
import { terms, text } from "./request-parts";
import { timestamp } from "./session";
import { createBody } from "./session-requests";

const KEY = ["credential_missing", "token_invalid", "scope_denied", "rate_limited"] as const;

const { title, schema, review, ttlMs, idleTtlMs, nextStep, policy, labels } = createBody.shape;
const { jurisdiction, locationHint } = createBody.shape;

const definitionBody = z
  .object({
    title,
    schema,
    review,
    ttlMs,
    idleTtlMs,
    nextStep,
    policy,
    labels,
    jurisdiction,
    locationHint,
    links: z
      .object({
        question: terms.question,
        submitLabel: terms.submitLabel,
        note: text.optional(),
        showTitle: z.boolean().optional(),
      })
      .strict()
      .describe("Default texts for links to people")
      .optional(),
  })
  .strict()
  .meta({ id: "TemplateDefinition" });

const listed = z
  .object({
    name: z.string(),
    version: z.int().min(1),
    createdAt: timestamp.describe("When this version was stored"),
    createdBy: z.string().describe("The name of the key that stored it"),
    retiredAt: timestamp.optional(),
  })
  .meta({ id: "ListedTemplate" });
const shown = z
  .object({ template: listed.extend({ definition: definitionBody }) })
  .meta({ id: "TemplateAnswer" });

export const templateEndpoints = {
  listTemplates: {
    ...readsByKey(
      "The owner's templates, by name, without those that are retired",
      `At most ${LIMITS.templates}, each in its newest version`,
      z.object({ templates: z.array(listed) }).meta({ id: "TemplateList" }),
    ),
    path: "/templates",
    right: "read",
    failures: KEY,
  },
  getTemplate: {
    ...readsByKey(
      "A template in its newest version, or with `name@3` in the one that is named",
      "The template",
      shown,
    ),
    path: "/templates/{name}",
    right: "read",
    failures: [...KEY, "not_found"],
  },
  putTemplate: {
    ...byKey,
    method: "put",
    path: "/templates/{name}",
    summary: "Store a template: a new one, or the next version",
    right: "manage",
    body: definitionBody,
    answers: {
      200: {
        description: "The next version, or the same one if nothing differs",
        schema: shown,
      },
      201: { description: "The first version", schema: shown },
    },
    failures: [...KEY, ...BODY],
  },
  retireTemplate: {
    ...byKey,
    method: "delete",
    path: "/templates/{name}",
    summary: "Retire a template: no new sessions from it; existing ones continue",
    right: "manage",
    answers: { 200: { description: "Retired", schema: shown } },
    failures: [...KEY, "not_found"],
  },
} as const satisfies Record<string, Endpoint>;
