/** The routes of an owner's templates. */
import { invalid } from "../domain/failure";
import { isTemplateName } from "../domain/owners/template";
import { answerJson, answerProblem } from "./answers";
import type { HandlersOf } from "./handler";

const NAME_RULE =
  "a template's name is 1 to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit";

export const templateHandlers: HandlersOf<
  "listTemplates" | "getTemplate" | "putTemplate" | "retireTemplate"
> = {
  async listTemplates({ owners, presented: holder }) {
    const reply = await owners.templates.list(holder);
    return reply.ok ? answerJson(200, { templates: reply.value }) : answerProblem(reply.failure);
  },

  async getTemplate({ owners, presented: holder, params }) {
    const reply = await owners.templates.get(holder, params["name"] ?? "");
    return reply.ok ? answerJson(200, { template: reply.value }) : answerProblem(reply.failure);
  },

  async putTemplate({ owners, presented: holder, params, body }) {
    const name = params["name"] ?? "";
    if (!isTemplateName(name)) return answerProblem(invalid(NAME_RULE, "name"));
    const reply = await owners.templates.put(holder, name, body as never);
    if (!reply.ok) return answerProblem(reply.failure);
    const { template, isNew } = reply.value;
    return answerJson(isNew ? 201 : 200, { template });
  },

  async retireTemplate({ owners, presented: holder, params }) {
    const reply = await owners.templates.retire(holder, params["name"] ?? "");
    return reply.ok ? answerJson(200, { template: reply.value }) : answerProblem(reply.failure);
  },
};
