/** Which commands to a session may be repeated if their answer was lost. */
import type { WriteRpcs } from "../object/session-rpc";

/** Commands that are idempotent, by a key or by nature. */
export const REPEATABLE: {
  readonly [K in keyof WriteRpcs]: (request: WriteRpcs[K]["request"]) => boolean;
} = {
  command: ({ request }) => request !== null,
  create: ({ request }) => request !== null,
  // Repeated, it opens another participant; the first one's token is never delivered.
  openByKey: () => true,
  purge: () => false,
  reportStop: ({ key }) => key !== null,
  takeLease: ({ key, number }) => key !== null || number !== null,
  // The second finds it released.
  releaseLease: () => false,
  startOnce: ({ key }) => key !== null,
  // The second finds the result that the first has recorded.
  endOnce: () => true,
  createChild: () => true,
  openLink: () => false,
  // The second finds it declined.
  declineLink: () => true,
  // The second would cause the deletion of what the first has stored.
  saveUpload: () => false,
  prepareBlob: () => true,
  // The second finds what the first has stored, under the same key.
  saveBlob: () => true,
  submitJob: ({ key }) => key !== null,
  cancelJob: () => true,
  cancelJobsOnClose: () => true,
  claimJob: () => false,
  reportJob: ({ batch, report }) => batch !== null || report?.what !== "events",
  recordJobEvent: () => false,
  // If the first answer was lost, the sent token is still valid.
  arcpResume: () => true,
  arcpConfirm: () => true,
  saveWatchCursor: () => true,
  mirrorEvents: () => true,
  recordEndpointStatus: () => true,
};
