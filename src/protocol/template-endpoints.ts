/** Routes of an owner's templates. The body of a PUT is the definition itself. */
import * as z from "zod";
import { LIMITS } from "../domain/limits";
import { sameOriginByKey, done, type Endpoint } from "./endpoint";
import { terms, text } from "./request-parts";
import { timestamp } from "./session";
import { createBody } from "./session-requests";
import { named } from "./shapes";

const definitionBody = createBody
  .pick({
    title: true,
    schema: true,
    review: true,
    ttlMs: true,
    idleTtlMs: true,
    nextStep: true,
    policy: true,
    labels: true,
    jurisdiction: true,
    locationHint: true,
  })
  .extend({
    links: z
      .strictObject({
        question: terms.question,
        submitLabel: terms.submitLabel,
        note: text.optional(),
        showTitle: z.boolean().optional(),
      })
      .describe("Default texts for links to people")
      .optional(),
  })
  .meta({ id: "TemplateDefinition" });

const listed = named("ListedTemplate", {
  name: z.string(),
  version: z.int().min(1),
  createdAt: timestamp.describe("When this version was stored"),
  createdBy: z.string().describe("The name of the key that stored it"),
  retiredAt: timestamp.optional(),
});
const shown = named("TemplateAnswer", { template: listed.extend({ definition: definitionBody }) });

export const templateEndpoints = {
  listTemplates: {
    ...sameOriginByKey("get", "read"),
    path: "/templates",
    summary: "The owner's templates, by name, without those that are retired",
    answers: done(
      `At most ${LIMITS.templates}, each in its newest version`,
      named("TemplateList", { templates: z.array(listed) }),
    ),
  },
  getTemplate: {
    ...sameOriginByKey("get", "read"),
    path: "/templates/{name}",
    summary: "The newest version of a template, or with `name@3` that version",
    answers: done("The template", shown),
    failures: ["not_found"],
  },
  putTemplate: {
    ...sameOriginByKey("put", "manage"),
    path: "/templates/{name}",
    summary: "Store a template: a new one, or the next version",
    body: definitionBody,
    bodyRequired: true,
    answers: {
      200: { description: "The next version, or the same one if nothing differs", schema: shown },
      201: { description: "The first version", schema: shown },
    },
  },
  retireTemplate: {
    ...sameOriginByKey("delete", "manage"),
    path: "/templates/{name}",
    summary: "Retire a template: no new sessions from it; existing ones continue",
    answers: done("Retired", shown),
    failures: ["not_found"],
  },
} as const satisfies Record<string, Endpoint>;
