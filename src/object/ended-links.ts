/** Links that ended without an answer: said once each, so that whoever waits for one need not ask. */
import { endedLinks, expiredFact } from "../domain/links/answering";
import type { Participant } from "../domain/participants/participant";
import { SYSTEM } from "../domain/participants/actor";
import { isTerminal } from "../domain/session/state";
import { commitOne } from "./commit";
import type { Room } from "./room";
import { loadLiving } from "./gate";

export function tellEndedLinks(room: Room, now: number): void {
  const loaded = loadLiving(room, now);
  if (loaded === null || isTerminal(loaded.session.state)) return;
  const ended = endedLinks(loaded.session, loaded.participants, now);
  if (ended.length === 0) return;
  const told = (one: Participant): Participant =>
    one.link !== undefined && ended.includes(one)
      ? { ...one, link: { ...one.link, endTold: true } }
      : one;
  commitOne(
    room,
    loaded.session,
    {
      by: { number: null, actor: SYSTEM },
      facts: ended.map(expiredFact),
      row: {
        after: ({ session }) => ({
          ...loaded,
          session,
          participants: loaded.participants.map(told),
        }),
        adds: false,
      },
    },
    now,
  );
}
