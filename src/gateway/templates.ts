/** An owner's templates: stored in its directory, and applied when a session is created. */
import { invalid, type Failure } from "../domain/failure";
import { LIMITS } from "../domain/limits";
import type { SourceTemplate } from "../domain/owners/ownership";
import {
  parseTemplateRef,
  applyTemplate,
  type TemplateDefinition,
} from "../domain/owners/template";
import { ok, refuse, type Result } from "../domain/result";
import { firstLocation, type Location } from "../domain/session/location";
import type { CreateArguments } from "../domain/session/command";
import type { ListedTemplate, PutTemplateResult, TemplateView } from "../object/directory-messages";
import type { Reply } from "../object/messages";
import type { Objects } from "./objects";
import type { Holder } from "./owner-keys";

interface AppliedTemplate {
  readonly args: CreateArguments;
  readonly template: SourceTemplate;
  readonly location: Location;
  /** No session may be created; one that exists already is still found. */
  readonly problem?: Failure;
}

export class Templates {
  readonly #objects: Objects;

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  put(
    { owner, key }: Holder,
    name: string,
    definition: TemplateDefinition,
  ): Promise<Reply<PutTemplateResult>> {
    const request = { name, definition, by: key.name };
    return unwrap(this.#objects.ownerDirectory(owner.name, "putTemplate", request));
  }

  async get({ owner }: Holder, ref: string): Promise<Reply<TemplateView>> {
    const parsed = parseTemplateRef(ref);
    if (parsed === null) return { ok: false, failure: { code: "not_found", what: "template" } };
    return unwrap(this.#objects.ownerDirectory(owner.name, "template", parsed));
  }

  list({ owner }: Holder): Promise<Reply<readonly ListedTemplate[]>> {
    return this.#objects.ownerDirectory(owner.name, "templates");
  }

  retire({ owner }: Holder, name: string): Promise<Reply<TemplateView>> {
    return unwrap(this.#objects.ownerDirectory(owner.name, "retireTemplate", name));
  }

  /** The arguments of a create request with its template applied. */
  async apply(
    holder: Holder | null,
    ref: string,
    requested: CreateArguments,
  ): Promise<Result<AppliedTemplate>> {
    if (holder === null) return refuse({ code: "credential_missing", what: "key" });
    const found = await this.get(holder, ref);
    if (!found.ok) return refuse(found.failure);
    const { name, version, definition, retiredAt } = found.value;
    const args = applyTemplate(requested, definition);
    if (Object.keys(args.labels ?? {}).length > LIMITS.labels) {
      return refuse(
        invalid(
          `together with the template's labels there are more than ${LIMITS.labels}`,
          "labels",
        ),
      );
    }
    const { links } = definition;
    const template = { name, version, ...(links === undefined ? {} : { links }) };
    const problem = { code: "gone", what: "template" } as const;
    const location = firstLocation(definition) ?? {};
    return ok({ args, template, location, ...(retiredAt === undefined ? {} : { problem }) });
  }
}

const unwrap = async <T>(pending: Promise<Reply<Reply<T>>>): Promise<Reply<T>> => {
  const reply = await pending;
  return reply.ok ? reply.value : reply;
};
