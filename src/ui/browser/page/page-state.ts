/** The few facts of the open page that its parts share. */
import { main } from "./dom";

export const pageState = {
  /** A press is under way. */
  isSubmitting: false,
  /** Nothing more can be sent by this link. */
  hasEnded: main().dataset["over"] === "true",
  isSaving: false,
  /** News came while the page was asked for: what is being drawn may be from before them. */
  isStale: false,
  /** A press that waits for the network. */
  pendingAction: null as string | null,
};
