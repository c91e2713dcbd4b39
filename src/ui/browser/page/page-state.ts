/** The state of the open page that its modules share. */
import { main } from "./dom";

export const pageState = {
  /** An action is being sent. */
  isSubmitting: false,
  /** Nothing can be sent with this link any more. */
  hasEnded: main().dataset["over"] === "true",
  isSaving: false,
  /** An update came during a fetch, so the fetched page may be out of date. */
  isStale: false,
  /** An action that waits for the network. */
  pendingAction: null as string | null,
};
