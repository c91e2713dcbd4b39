/** A resume that was put off is due: said once, to everybody who listens, whether or not the reporter is. */
import { SYSTEM } from "../domain/actor";
import { numberEvents } from "../domain/commit";
import { encodeEvents } from "../domain/event-line";
import { dueNow } from "../domain/expiry";
import { storeCommit, type Desk } from "./reception";

export function announceResume(desk: Desk, now: number): void {
  const { store } = desk;
  store.transaction(() => {
    const loaded = store.load();
    if (loaded === null || dueNow(loaded.session, now) !== "announce_resume") return;
    const { resumeAt, attempt } = loaded.session.automation;
    const payload = {
      attempt,
      scheduledFor: new Date(resumeAt ?? now).toISOString(),
      outcome: "success",
    };
    const facts = [{ type: "resume.due", payload }];
    const commit = numberEvents(loaded.session, store.head(), facts, SYSTEM, now);
    const text = encodeEvents(commit.events);
    storeCommit(desk, { commit, text, at: now, participant: null, issued: [] });
    store.update({ ...loaded, session: commit.session }, false);
  });
}
