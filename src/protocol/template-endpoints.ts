/** Routes of an owner's templates. The body of a PUT is the definition itself. */
import * as z from "zod";
import { LIMITS } from "../domain/limits";
import type { Endpoint } from "./endpoint";
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

const common = { tag: "Owners", who: "key", origins: "own" } as const;

export const templateEndpoints = {
  listTemplates: {
    ...common,
    method: "get",
    path: "/templates",
    summary: "The owner's templates, by name, without those that are retired",
    right: "read",
    answers: {
      200: {
        description: `At most ${LIMITS.templates}, each in its newest version`,
        schema: z.object({ templates: z.array(listed) }).meta({ id: "TemplateList" }),
      },
    },
    failures: KEY,
  },
  getTemplate: {
    ...common,
    method: "get",
    path: "/templates/{name}",
    summary: "A template in its newest version, or with `name@3` in the one that is named",
    right: "read",
    answers: { 200: { description: "The template", schema: shown } },
    failures: [...KEY, "not_found"],
  },
  putTemplate: {
    ...common,
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
    failures: [...KEY, "too_large", "unsupported_media_type"],
  },
  retireTemplate: {
    ...common,
    method: "delete",
    path: "/templates/{name}",
    summary: "Retire a template: no new sessions from it; existing ones continue",
    right: "manage",
    answers: { 200: { description: "Retired", schema: shown } },
    failures: [...KEY, "not_found"],
  },
} as const satisfies Record<string, Endpoint>;
