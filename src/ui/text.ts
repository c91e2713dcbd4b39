/** Small texts made of values: who, and how much. */
import type { Actor } from "../domain/participants/actor";
import type { SessionView } from "../domain/session/view";
import type { Words } from "./words/en";

/** What an actor is called who was given no name. */
const DEFAULT_IDS = /^(agent|human|owner|person(-\d+)?|par_\w+)$/;

/** A name as it was given; without one only what kind of somebody it is. */
export const actorText = (actor: Actor, words: Words): string =>
  nameActor(actor, words, words.someone);

/** The same after "by". */
export const byActorText = (actor: Actor, words: Words): string =>
  nameActor(actor, words, words.bySomeone);

function nameActor(
  { kind, id, name }: Actor,
  { kinds }: Words,
  nameless: Words["someone"],
): string {
  if (kind === "system") return kinds.system;
  if (name === undefined && DEFAULT_IDS.test(id)) return nameless[kind];
  return `${name ?? id} (${kinds[kind]})`;
}

/** The same at the beginning of a sentence. */
export const actorAtStart = (actor: Actor, words: Words, isReader = false): string => {
  const who = isReader
    ? `${actor.name ?? words.someone.human} (${words.page.you})`
    : actorText(actor, words);
  return who.charAt(0).toLocaleUpperCase() + who.slice(1);
};

/** By its id, which is all there is to say of one that has left the session. */
export function participantName(
  { participants }: Pick<SessionView, "participants">,
  id: string,
  words: Words,
): string {
  const found = participants.find((one) => one.id === id);
  return found === undefined ? id : actorText(found.actor, words);
}

const KB = 1000;
const MIB = 1024 * 1024;

/** As file managers say it. Of those that count by 1024, it is the round number that was meant. */
export function bytesText(bytes: number, _: Words, format: (number: number) => string): string {
  if (bytes < KB) return `${format(bytes)} B`;
  if (bytes % MIB === 0) return `${format(bytes / MIB)} MB`;
  const [amount, unit] = bytes < KB * KB ? [bytes / KB, "KB"] : [bytes / (KB * KB), "MB"];
  return `${format(Math.round(amount * 10) / 10)} ${unit}`;
}
