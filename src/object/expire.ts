/** Recording that the time is up: what every answer has said since, now in the log as well. */
import { SYSTEM } from "../domain/actor";
import { numberEvents } from "../domain/commit";
import type { NewEvent } from "../domain/event";
import { dueNow } from "../domain/expiry";
import { tokenEvent } from "../domain/participants";
import { encodeEvents } from "../domain/event-line";
import { storeCommit, type Desk } from "./reception";

/** Once, however often the alarm comes. */
export function recordExpiry(desk: Desk, now: number): void {
  const { store } = desk;
  store.transaction(() => {
    const loaded = store.load();
    if (loaded === null || dueNow(loaded.session, now) !== "record_expiry") return;
    const { session, participants, plan } = loaded;
    const expired: NewEvent = {
      type: "session.expired",
      payload: { expiresAt: new Date(session.expiresAt).toISOString() },
      moves: true,
      state: "expired",
    };
    const tokens = participants
      .filter((one) => !session.revoked.includes(one.number))
      .map((one) => tokenEvent("token.expired", one.number, one.tokenHash));
    const commit = numberEvents(session, store.head(), [expired, ...tokens], SYSTEM, now);
    storeCommit(desk, {
      commit,
      text: encodeEvents(commit.events),
      at: now,
      participant: null,
      issued: [],
    });
    store.update({ session: commit.session, participants, plan }, false);
  });
}
