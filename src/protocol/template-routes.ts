/** Routes of an owner's templates. The body of a PUT is the definition. */
import * as z from "zod";
import { LIMITS } from "../domain/limits";
import { ownerKeyRoute, okResponse, type ApiRoute } from "./api-route";
import { terms, text } from "./request-parts";
import { timestamp } from "./session-schemas";
import { createBody } from "./session-requests";
import { namedSchema } from "./named-schemas";

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

const listedTemplate = namedSchema("ListedTemplate", {
  name: z.string(),
  version: z.int().min(1),
  createdAt: timestamp.describe("When this version was stored"),
  createdBy: z.string().describe("The name of the key that stored it"),
  retiredAt: timestamp.optional(),
});
const templateAnswer = namedSchema("TemplateAnswer", {
  template: listedTemplate.extend({ definition: definitionBody }),
});

export const templateRoutes = {
  listTemplates: {
    ...ownerKeyRoute("get", "read"),
    path: "/templates",
    summary: "The owner's templates, by name, without those that are retired",
    responses: okResponse(
      `At most ${LIMITS.templates}, each in its newest version`,
      namedSchema("TemplateList", { templates: z.array(listedTemplate) }),
    ),
  },
  getTemplate: {
    ...ownerKeyRoute("get", "read"),
    path: "/templates/{name}",
    summary: "The newest version of a template, or with `name@3` that version",
    responses: okResponse("The template", templateAnswer),
    failures: ["not_found"],
  },
  putTemplate: {
    ...ownerKeyRoute("put", "manage"),
    path: "/templates/{name}",
    summary: "Store a template: a new one, or the next version",
    body: definitionBody,
    bodyRequired: true,
    responses: {
      200: {
        description: "The next version, or the same one if nothing differs",
        schema: templateAnswer,
      },
      201: { description: "The first version", schema: templateAnswer },
    },
  },
  retireTemplate: {
    ...ownerKeyRoute("delete", "manage"),
    path: "/templates/{name}",
    summary: "Retire a template: no new sessions from it; existing ones continue",
    responses: okResponse("Retired", templateAnswer),
    failures: ["not_found"],
  },
} as const satisfies Record<string, ApiRoute>;
