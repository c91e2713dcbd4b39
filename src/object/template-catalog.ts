/**
 * The templates of one owner: put, read and retired. A definition is checked as a create would be.
 */
import { invalid, tooLarge, type Failure } from "../domain/failure";
import type { TokenHash } from "../domain/ids";
import { canonicalJson, type Json } from "../domain/json";
import { LIMITS } from "../domain/limits";
import type { TemplateDefinition, TemplateRef } from "../domain/owners/template";
import { decideCreate } from "../domain/session/create";
import type { HidingContext } from "../domain/session/private-values";
import type { Settings } from "../domain/settings";
import { TemplateStore, type StoredTemplate, type TemplateRow } from "../storage/template-store";
import type { SqlPort } from "../storage/sql-port";
import type {
  ListedTemplate,
  PutTemplateRequest,
  PutTemplateResult,
  TemplateView,
} from "./directory-messages";
import type { Reply } from "./messages";

const ABSENT: Failure = { code: "not_found", what: "template" };

/** A definition is only checked: no session is created, nothing is hidden or stored. */
const UNHIDDEN: HidingContext = { salt: () => "", digest: () => "", privateValues: () => [] };

export class TemplateCatalog {
  readonly #store: TemplateStore;

  constructor(sql: SqlPort) {
    this.#store = new TemplateStore(sql);
  }

  /**
   * Putting the same definition again returns the same version, so that a request can be repeated.
   */
  put(
    { name, definition, by }: PutTemplateRequest,
    settings: Settings,
    now: number,
  ): Reply<PutTemplateResult> {
    const { links: _, jurisdiction: _j, locationHint: _h, ...args } = definition;
    // The checks of a create with this definition.
    const tried = decideCreate(args, "" as TokenHash, now, settings, UNHIDDEN);
    if (!tried.ok) return { ok: false, failure: tried.error };
    if (tried.value.private !== undefined) {
      const failure = invalid("a template cannot contain values of private fields", "fields");
      return { ok: false, failure };
    }
    const text = canonicalJson(definition as unknown as Json);
    const newest = this.#store.get(name, null);
    if (newest !== null && newest.retiredAt === null && newest.definition === text) {
      return { ok: true, value: { template: viewOf(newest), isNew: false } };
    }
    const older = newest === null ? null : viewOf(newest).definition;
    if (older !== null && older.jurisdiction !== definition.jurisdiction) {
      const why = "of a template cannot change: use another name";
      return { ok: false, failure: invalid(`the jurisdiction ${why}`, "jurisdiction") };
    }
    if (newest === null && this.#store.count() >= LIMITS.templates) {
      const what = "the number of templates";
      return { ok: false, failure: tooLarge(what, LIMITS.templates) };
    }
    const added = this.#store.add(name, text, by, LIMITS.templateVersions, now);
    return { ok: true, value: { template: viewOf(added), isNew: newest === null } };
  }

  list(): readonly ListedTemplate[] {
    return this.#store.list().map(listedOf);
  }

  get({ name, version }: TemplateRef): Reply<TemplateView> {
    const found = this.#store.get(name, version);
    if (found !== null) return { ok: true, value: viewOf(found) };
    const isKnown = version !== null && this.#store.get(name, null) !== null;
    const failure: Failure = isKnown ? { code: "not_found", what: "template version" } : ABSENT;
    return { ok: false, failure };
  }

  /** Idempotent. */
  retire(name: string, now: number): Reply<TemplateView> {
    if (this.#store.get(name, null) !== null) this.#store.retire(name, now);
    return this.get({ name, version: null });
  }
}

const iso = (time: number): string => new Date(time).toISOString();

const listedOf = ({ name, version, createdAt, createdBy, retiredAt }: TemplateRow) => ({
  name,
  version,
  createdAt: iso(createdAt),
  createdBy,
  ...(retiredAt === null ? {} : { retiredAt: iso(retiredAt) }),
});

const viewOf = (stored: StoredTemplate): TemplateView => ({
  ...listedOf(stored),
  definition: JSON.parse(stored.definition) as TemplateDefinition,
});
