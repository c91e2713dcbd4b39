/** A resume that was put off is due: said once, to everybody who listens, whether or not the reporter is. */
import { SYSTEM } from "../domain/participants/actor";
import { dueNow } from "../domain/session/expiry";
import { commitOne } from "./commit";
import type { Room } from "./room";

export function announceResume(room: Room, now: number): void {
  const loaded = room.store.load();
  if (loaded === null || dueNow(loaded.session, now) !== "announce_resume") return;
  const { resumeAt, attempt } = loaded.session.automation;
  const payload = {
    attempt,
    scheduledFor: new Date(resumeAt ?? now).toISOString(),
    outcome: "success",
  } as const;
  commitOne(
    room,
    loaded.session,
    {
      by: { number: null, actor: SYSTEM },
      facts: [{ type: "resume.due", payload }],
      row: { after: ({ session }) => ({ ...loaded, session }), adds: false },
    },
    now,
  );
}
