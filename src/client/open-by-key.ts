/**
 * Opens a session by the owner's external id, so that a caller with the owner's key needs no saved
 * token.
 */
import { isEndedState, WireError } from "./errors";
import type { ActorInput, CreateInput } from "./inputs";
import type { Session } from "./session";
import type { RequestWithKey } from "./sessions";
import type { WireAnswer } from "./transport";

export interface OpenByKeyInput {
  readonly externalId: string;
  /** Who opens it. Default: the actor of `create`. */
  readonly actor?: ActorInput | undefined;
  /** Input for a new session if there is none. Without it nothing is created. */
  readonly create?: CreateInput;
  /** If the session of this id has ended: create a new one, or fail. */
  readonly onEnded?: "fail" | "fresh" | undefined;
}

/**
 * Retrying after a lost response is harmless: the same session is opened, for another new
 * participant.
 */
export function openByKey(
  request: RequestWithKey,
  { externalId, create, actor = create?.actor, onEnded }: OpenByKeyInput,
  signal?: AbortSignal,
): Promise<WireAnswer> {
  const { externalId: _, ...input } = create ?? {};
  const body = { externalId, create: create === undefined ? create : input, actor, onEnded };
  return request("POST", "/sessions/open", { body, signal });
}

/** The saved token no longer works: the access ended, or the session itself. */
export const isAccessLost = (error: unknown): boolean =>
  error instanceof WireError &&
  (error.code === "token_invalid" || error.code === "expired" || error.code === "gone");

/** The session has not ended and can still be reached. */
export async function isOpen(session: Session, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    return !isEndedState((await session.get({ signal })).state);
  } catch (error) {
    if (isAccessLost(error)) return false;
    throw error;
  }
}

/** There is no open session of this id. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof WireError && ["not_found", "expired", "gone"].includes(error.code);
