/** Recording that the time is up: what every answer has said since, now in the log as well. */
import { SYSTEM } from "../domain/participants/actor";
import type { NewEvent } from "../domain/log/event";
import { dueNow } from "../domain/session/expiry";
import { tokenEvent } from "../domain/participants/participants";
import { commitOne } from "./commit";
import type { Room } from "./room";
import { endingWithJobs } from "./overdue-jobs";

/** Once, however often the alarm comes. */
export function recordExpiry(room: Room, now: number): void {
  const loaded = room.store.load();
  if (loaded === null || dueNow(loaded.session, now) !== "record_expiry") return;
  const { session, participants } = loaded;
  const expired: NewEvent = {
    type: "session.expired",
    payload: { expiresAt: new Date(session.expiresAt).toISOString() },
    moves: true,
    state: "expired",
  };
  const tokens = participants
    .filter((one) => !session.revoked.includes(one.number))
    .map((one) => tokenEvent("token.expired", one.number, one.tokenHash));
  const ending = { facts: [expired, ...tokens], outcome: {} };
  const { decision, jobs } = endingWithJobs(room, ending, now);
  commitOne(
    room,
    session,
    {
      by: { number: null, actor: SYSTEM },
      facts: decision.facts,
      beside: () => {
        for (const job of jobs) room.jobs.update(job);
      },
      row: { after: (commit) => ({ ...loaded, session: commit.session }), adds: false },
    },
    now,
  );
}
