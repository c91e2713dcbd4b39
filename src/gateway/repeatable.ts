/** Which commands to a session may be sent again where their answer was lost on the way. */
import type { Writes } from "../object/session-rpc";

/** Commands that, sent twice, do no more than once; with a key, or by what they are. */
export const REPEATABLE: {
  readonly [K in keyof Writes]: (request: Writes[K]["request"]) => boolean;
} = {
  command: ({ request }) => request !== null,
  create: ({ request }) => request !== null,
  // Repeated, it opens another participant; the first is never heard of.
  openByKey: () => true,
  purge: () => false,
  reportStop: ({ key }) => key !== null,
  beginChild: () => true,
  openLink: () => false,
  // The second finds it declined.
  declineLink: () => true,
  // The second would be told to delete what the first has kept.
  keepStored: () => false,
  offerBlob: () => true,
  // The second finds what the first has kept, under the same key.
  keepBlob: () => true,
  submitJob: ({ key }) => key !== null,
  cancelJob: () => true,
  closeJobs: () => true,
  claimJob: () => false,
  reportJob: ({ batch, report }) => batch !== null || report?.what !== "events",
  noteJob: () => false,
  // Where the first answer was lost, the token presented is still good.
  arcpResume: () => true,
  arcpConfirm: () => true,
  keepWatching: () => true,
  mirror: () => true,
  noteEndpoint: () => true,
};
