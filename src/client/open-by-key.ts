/** A session found by its owner's own name for it, so that whoever has the key needs no saved token. */
import { WireError, type Problem } from "./errors";
import type { ActorInput, CreateInput } from "./inputs";
import { headersFor } from "./request-parts";
import { exchange, type Means, type WireAnswer } from "./transport";

export interface Wanted {
  readonly externalId: string;
  /** Who opens it; absent: who would begin it. */
  readonly actor?: ActorInput;
  /** Begin it so where there is none; absent: begin nothing. */
  readonly create?: CreateInput;
  /** Where the one of this name has ended: a new one, or the refusal. */
  readonly onEnded?: "fail" | "fresh";
}

/** Asks once more after a lost answer: the same session is opened, for a participant of its own. */
export function openByKey(
  url: string,
  means: Means & { readonly key: string },
  { externalId, create, actor = create?.actor, onEnded }: Wanted,
  signal?: AbortSignal,
): Promise<WireAnswer> {
  const { externalId: _, ...first } = create ?? {};
  const body = {
    externalId,
    ...(create === undefined ? {} : { create: first }),
    ...(actor === undefined ? {} : { actor }),
    ...(onEnded === undefined ? {} : { onEnded }),
  };
  const request = {
    url: `${url}/sessions/open`,
    method: "POST",
    headers: headersFor(means.key, "json"),
    body: JSON.stringify(body),
  };
  return exchange(means, request, signal, false);
}

/** What is saved opens nothing any more: its rights ended, or the session itself is over. */
export const isShut = (error: unknown): boolean =>
  error instanceof WireError &&
  (error.code === "token_invalid" || error.code === "expired" || error.code === "gone");

/** There is no living session of this name. */
export const isNone = (answer: WireAnswer): boolean =>
  !answer.isOk && ["not_found", "expired", "gone"].includes((answer.body as Problem).code);
