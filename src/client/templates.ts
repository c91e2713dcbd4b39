/** The templates of an owner, for whoever has its key. */
import type { CallOptions, TemplateInput } from "./inputs";
import type { ListedTemplate, Template } from "./outputs";
import type { RequestWithKey } from "./sessions";

/** The owner's templates. */
export class Templates {
  readonly #requestWithKey: RequestWithKey;

  constructor(byKey: RequestWithKey) {
    this.#requestWithKey = byKey;
  }

  /** By name, each in its newest version, without those that are retired. */
  async list(options: CallOptions = {}): Promise<readonly ListedTemplate[]> {
    return (await this.#requestWithKey("GET", "/templates", options)).body.templates;
  }

  /** The newest version, or with `name@3` the one that is named. */
  get(name: string, options: CallOptions = {}): Promise<Template> {
    return this.#request("GET", name, options);
  }

  /** A new template, or the next version of one there is. */
  put(name: string, definition: TemplateInput, options: CallOptions = {}): Promise<Template> {
    return this.#request("PUT", name, { ...options, body: definition });
  }

  /** No session begins from it any more; those begun go on. */
  retire(name: string, options: CallOptions = {}): Promise<Template> {
    return this.#request("DELETE", name, options);
  }

  async #request(
    method: string,
    name: string,
    options: CallOptions & { readonly body?: unknown },
  ): Promise<Template> {
    const path = `/templates/${encodeURIComponent(name)}`;
    return (await this.#requestWithKey(method, path, options)).body.template;
  }
}
