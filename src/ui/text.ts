/** Short texts for actors and sizes. */
import type { Actor } from "../domain/participants/actor";
import type { SessionView } from "../domain/session/view";
import type { Words } from "./words/en";

/** The ids of actors without a name. */
const DEFAULT_IDS = /^(agent|human|owner|person(-\d+)?|par_\w+)$/;

/** The actor's name, or only its kind if it has none. */
export const actorText = (actor: Actor, words: Words): string =>
  nameActor(actor, words, words.someone);

/** The same text after "by". */
export const byActorText = (actor: Actor, words: Words): string =>
  nameActor(actor, words, words.bySomeone);

function nameActor(
  { kind, id, name }: Actor,
  { kinds }: Words,
  defaultNames: Words["someone"],
): string {
  if (kind === "system") return kinds.system;
  if (name === undefined && DEFAULT_IDS.test(id)) return defaultNames[kind];
  return `${name ?? id} (${kinds[kind]})`;
}

/** The same text at the start of a sentence. */
export const actorAtStart = (actor: Actor, words: Words, isReader = false): string => {
  const who = isReader
    ? `${actor.name ?? words.someone.human} (${words.page.you})`
    : actorText(actor, words);
  return who.charAt(0).toLocaleUpperCase() + who.slice(1);
};

/** The id itself if the participant is no longer in the session. */
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

/** As file managers write it. A multiple of 1 MiB is a limit that was meant as a round number. */
export function bytesText(bytes: number, _: Words, format: (number: number) => string): string {
  if (bytes < KB) return `${format(bytes)} B`;
  if (bytes % MIB === 0) return `${format(bytes / MIB)} MB`;
  const [amount, unit] = bytes < KB * KB ? [bytes / KB, "KB"] : [bytes / (KB * KB), "MB"];
  return `${format(Math.round(amount * 10) / 10)} ${unit}`;
}
