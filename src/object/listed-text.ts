/** Masks the texts of a listed session for the directory, and unmasks them for display. */
import { omitUndefined } from "../domain/result";
import type { Labels } from "../domain/owners/ownership";
import type { ListedSession } from "../storage/session-list";
import type { SessionQuery } from "../storage/session-query";
import type { DirectoryUpdate, ListQuery } from "./directory-messages";
import { Masking } from "./masking";

interface Texts {
  readonly title: string | null;
  readonly labels: Labels;
  readonly externalId?: string;
  readonly key?: string;
}

/** The texts of a query, hashed as they are stored. */
type HashedQuery = Required<Pick<SessionQuery, "label" | "external" | "words">>;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class ListedText {
  readonly #masking: Masking;

  constructor(secret: Uint8Array) {
    this.#masking = new Masking(secret);
  }

  encode(
    { objectIdHex, createdAt, belongs }: Omit<DirectoryUpdate, "listings">,
    listing: DirectoryUpdate["listings"][number],
  ): ListedSession {
    const { title, labels, seq, state, waiting, changedAt, expiresAt } = listing;
    const { externalId, nth, key } = belongs;
    const texts: Texts = { title, labels, ...omitUndefined({ externalId, key }) };
    const text = JSON.stringify(texts);
    const textHash = this.#masking.hash("text", text);
    const all = [title ?? "", externalId ?? "", ...Object.values(labels)];
    return {
      objectIdHex,
      createdAt,
      seq,
      state,
      waiting,
      changedAt,
      expiresAt,
      textHash,
      external: externalId === undefined ? null : this.hashExternalId(externalId),
      nth: nth ?? null,
      labels: Object.entries(labels).map(([name, value]) => this.#label(name, value)),
      words: this.#masking.words(all).join(" "),
      body: this.#masking.mask(maskLabelOf(objectIdHex, textHash), encoder.encode(text)),
    };
  }

  decode(objectIdHex: string, textHash: string, body: Uint8Array): Texts {
    const text = this.#masking.mask(maskLabelOf(objectIdHex, textHash), body);
    return JSON.parse(decoder.decode(text)) as Texts;
  }

  hashQuery({ label, externalId, q }: ListQuery): HashedQuery {
    return {
      label: label === undefined ? undefined : this.#label(label.name, label.value),
      external: externalId === undefined ? undefined : this.hashExternalId(externalId),
      words: q === undefined ? [] : this.#masking.words([q]),
    };
  }

  hashExternalId(externalId: string): string {
    return this.#masking.hash("external", externalId);
  }

  #label(name: string, value: string): string {
    return this.#masking.hash("label", JSON.stringify([name, value]));
  }
}

const maskLabelOf = (objectIdHex: string, textHash: string): string => `${objectIdHex} ${textHash}`;
