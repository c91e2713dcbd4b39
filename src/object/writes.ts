/** One handler per command of the door. Each decides and commits without waiting for anything. */
import { RowTooLarge } from "../storage/row-size";
import { arcpConfirm, arcpResume } from "./arcp";
import { keepBlob, offerBlob } from "./blobs";
import { createChild, createSession } from "./create";
import type { Room } from "./room";
import type { Answering, Asking, Handlers, Writes } from "./door";
import { append } from "./events";
import { certifyPurge } from "./evidence";
import { claimJob, reportJob } from "./executors";
import { cancelJob, closeJobs, submitJob } from "./jobs";
import type { Appended, AppendRequest, Reply } from "./messages";
import { noteEndpoint } from "./note-endpoint";
import { openSession } from "./open-by-key";
import { declineLink, openLink } from "./open-link";
import { reportStop } from "./report-stop";
import { keepStored } from "./uploads";
import { keepWatching, mirror, noteJob } from "./watch";
import { write } from "./write";

const WRITES: Handlers<Writes, Room> = {
  command: write,
  create: createSession,
  openByKey: openSession,
  // The emptying itself follows at once, and is the object's.
  purge: certifyPurge,
  reportStop,
  beginChild: (room, { plan, from }, now) => ({
    ok: true,
    value: createChild(room, plan, from, now),
  }),
  openLink: (room, request, now) => ({ ok: true, value: openLink(room, request, now) }),
  declineLink: (room, request, now) => ({ ok: true, value: declineLink(room, request, now) }),
  keepStored,
  offerBlob,
  keepBlob,
  submitJob,
  cancelJob,
  closeJobs,
  claimJob,
  reportJob,
  noteJob,
  arcpResume,
  arcpConfirm: (room, { credential }, now) => arcpConfirm(room, credential, now),
  keepWatching,
  mirror,
  noteEndpoint,
};

export function perform<K extends keyof Writes>(
  room: Room,
  command: Asking<Writes, K>,
  now: number,
): Answering<Writes, K> {
  const { kind } = command as { readonly kind: K };
  return fitting(() => WRITES[kind](room, command, now)) as Answering<Writes, K>;
}

export const performAppend = (room: Room, batch: AppendRequest, now: number): Reply<Appended> =>
  fitting(() => append(room, batch, now));

/** What a row cannot hold is refused, and then nothing of it is left. */
function fitting<T>(transact: () => Reply<T>): Reply<T> {
  try {
    return transact();
  } catch (error) {
    if (error instanceof RowTooLarge) return { ok: false, failure: error.failure };
    throw error;
  }
}
