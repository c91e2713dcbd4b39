/** Which commands to a session may be repeated if their answer was lost. */
import type { Writes } from "../object/session-rpc";

/** Commands that are idempotent, by a key or by nature. */
export const REPEATABLE: {
  readonly [K in keyof Writes]: (request: Writes[K]["request"]) => boolean;
} = {
  command: ({ request }) => request !== null,
  create: ({ request }) => request !== null,
  // Repeated, it opens another participant; the first one's token is never delivered.
  openByKey: () => true,
  purge: () => false,
  reportStop: ({ key }) => key !== null,
  beginChild: () => true,
  openLink: () => false,
  // The second finds it declined.
  declineLink: () => true,
  // The second would cause the deletion of what the first has stored.
  keepStored: () => false,
  offerBlob: () => true,
  // The second finds what the first has stored, under the same key.
  keepBlob: () => true,
  submitJob: ({ key }) => key !== null,
  cancelJob: () => true,
  closeJobs: () => true,
  claimJob: () => false,
  reportJob: ({ batch, report }) => batch !== null || report?.what !== "events",
  noteJob: () => false,
  // If the first answer was lost, the sent token is still valid.
  arcpResume: () => true,
  arcpConfirm: () => true,
  keepWatching: () => true,
  mirror: () => true,
  noteEndpoint: () => true,
};
