/** What an accepted operation does to the session, and the events of its commit, as the table says. */
import { named, type Analysis } from "../analysis.ts";
import { fallenBy, type Folded } from "../fold.ts";
import { canonical, type History } from "../history.ts";
import { rowOf, type Effect } from "../operations.ts";
import { law, type Law } from "./law.ts";

/** Entering one of these is an event of its own. */
const NOTICED = new Set(["awaiting_input", "needs_review", "approved", "rejected"]);

interface Done {
  readonly who: string;
  readonly name: string;
  readonly after: Folded;
  readonly types: readonly string[];
  readonly effect: Effect;
}

/** Every commit whose operation is known, with the state before and after. */
function doneIn({ commits }: History, { owners, states }: Analysis): readonly Done[] {
  return commits.flatMap(({ events }, index) => {
    const owner = owners[index];
    const [before, after] = [states[index - 1], states[index]];
    if (owner == null || before === undefined || after === undefined) return [];
    const { args, participant, name } = owner;
    const target = args["target"] ?? args["participant"];
    const revoked =
      target === undefined
        ? 0
        : fallenBy(before.participants, target as number | "others", participant).size;
    const at = Date.parse(events[0]?.at ?? "");
    const types = events.map(({ type }) => type);
    return [
      { who: named(owner), name, after, types, effect: { before, args, participant, at, revoked } },
    ];
  });
}

const plain = (value: unknown): string => canonical(value instanceof Set ? [...value] : value);

export const EFFECT_LAWS: readonly Law[] = [
  law("a write leads to its target state", ["S-1", "W-2", "W-4", "U-1"], (history, analysis) =>
    doneIn(history, analysis).flatMap(({ who, name, after, effect }) => {
      const expected = rowOf(name).targetState(effect.before, effect);
      return after.state === expected ? [] : [`${who} led to ${after.state}, not to ${expected}`];
    }),
  ),
  law("a write has its effect", ["F-2", "X-3"], (history, analysis) =>
    doneIn(history, analysis).flatMap(({ who, name, after, effect }) =>
      Object.entries(rowOf(name).effect(effect)).flatMap(([member, expected]) => {
        const actual = after[member as keyof Folded];
        return plain(actual) === plain(expected)
          ? []
          : [`after ${who} ${member} is ${plain(actual)}, not ${plain(expected)}`];
      }),
    ),
  ),
  law("a commit has every event that it should", ["H-10", "F-4"], (history, analysis) =>
    doneIn(history, analysis).flatMap(({ who, name, after, types, effect }) => {
      const events = rowOf(name).events(effect);
      if (events === null) return [];
      const { state } = after;
      const isNoticed = state !== effect.before.state && NOTICED.has(state);
      const expected = [...events, ...(isNoticed ? [`session.${state}`] : [])].sort().join(", ");
      const actual = types.toSorted().join(", ");
      return actual === expected ? [] : [`${who} has ${actual}, not ${expected}`];
    }),
  ),
];
