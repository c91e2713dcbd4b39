/** A session found by its owner's own name for it, so that whoever has the key needs no saved token. */
import { isEndedState, WireError } from "./errors";
import type { ActorInput, CreateInput } from "./inputs";
import type { Session } from "./session";
import type { RequestWithKey } from "./sessions";
import type { WireAnswer } from "./transport";

export interface OpenByKeyInput {
  readonly externalId: string;
  /** Who opens it; absent: who would begin it. */
  readonly actor?: ActorInput | undefined;
  /** Begin it so where there is none; absent: begin nothing. */
  readonly create?: CreateInput;
  /** Where the one of this name has ended: a new one, or the refusal. */
  readonly onEnded?: "fail" | "fresh" | undefined;
}

/** Asks once more after a lost answer: the same session is opened, for a participant of its own. */
export function openByKey(
  ask: RequestWithKey,
  { externalId, create, actor = create?.actor, onEnded }: OpenByKeyInput,
  signal?: AbortSignal,
): Promise<WireAnswer> {
  const { externalId: _, ...first } = create ?? {};
  const body = { externalId, create: create === undefined ? create : first, actor, onEnded };
  return ask("POST", "/sessions/open", { body, signal });
}

/** What is saved opens nothing any more: its rights ended, or the session itself is over. */
export const isAccessLost = (error: unknown): boolean =>
  error instanceof WireError &&
  (error.code === "token_invalid" || error.code === "expired" || error.code === "gone");

/** Neither over nor out of reach. */
export async function isOpen(session: Session, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    return !isEndedState((await session.get({ signal })).state);
  } catch (error) {
    if (isAccessLost(error)) return false;
    throw error;
  }
}

/** There is no living session of this name. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof WireError && ["not_found", "expired", "gone"].includes(error.code);
