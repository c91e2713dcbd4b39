/** The owner's templates. Needs the owner's key. */
import type { CallOptions, TemplateInput } from "./inputs";
import type { ListedTemplate, Template } from "./outputs";
import type { RequestWithKey } from "./sessions";

/** The owner's templates. */
export class Templates {
  readonly #requestWithKey: RequestWithKey;

  constructor(requestWithKey: RequestWithKey) {
    this.#requestWithKey = requestWithKey;
  }

  /** All templates that are not retired, sorted by name, each in its newest version. */
  async list(options: CallOptions = {}): Promise<readonly ListedTemplate[]> {
    return (await this.#requestWithKey("GET", "/templates", options)).body.templates;
  }

  /** The newest version, or with `name@3` that version. */
  get(name: string, options: CallOptions = {}): Promise<Template> {
    return this.#request("GET", name, options);
  }

  /** Creates a template, or the next version of an existing one. */
  put(name: string, definition: TemplateInput, options: CallOptions = {}): Promise<Template> {
    return this.#request("PUT", name, { ...options, body: definition });
  }

  /** Retires the template: no new sessions are created from it; existing sessions continue. */
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
