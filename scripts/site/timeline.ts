/** Draws the log of a session: a row per event, a column per actor, a band per state. */
import { text, type Picture } from "./drawing.ts";

export interface Moment {
  readonly seq: number;
  readonly type: string;
  readonly state: string;
  readonly kind: "agent" | "human" | "system";
  readonly who: string;
}

/** The meaning of each event of the example. */
const WORDS: Readonly<Record<string, string>> = {
  "session.created": "the session begins",
  "token.issued": "a token is given out",
  "token.accessed": "a token is used",
  "fields.updated": "fields are set",
  "work.noted": "the agent's own event",
  "stop.reported": "rate limited, and gone",
  "resume.scheduled": "the server says when to go on",
  "handoff.link_issued": "a short link for a person",
  "handoff.created": "somebody else may act now",
  "handoff.opened": "the person opens the link",
  "handoff.answered": "the person has answered",
  "session.submitted": "all that is required is there",
  "session.needs_review": "somebody must approve it",
  "review.approved": "somebody else approves",
  "session.approved": "nothing more is to be approved",
  "session.finalized": "the work is done",
};

const ROW = 30;
const TOP = 62;
const LANES = 150;
const LANE = 74;
const WIDTH = 760;

export function drawTimeline(moments: readonly Moment[]): Picture {
  const actors = [...new Set(moments.map(({ who }) => who))];
  const laneOf = (who: string): number => LANES + actors.indexOf(who) * LANE + LANE / 2;
  const rowOf = (index: number): number => TOP + index * ROW + ROW / 2;
  const words = LANES + actors.length * LANE + 12;
  const bands = statesOf(moments);
  const path = moments.map(({ who }, index) => `${laneOf(who)} ${rowOf(index)}`).join(" L");
  return {
    title: "The timeline of a session",
    description: moments
      .map(({ seq, who, type, state }) => `${seq}: ${type} by ${who}, then ${state}.`)
      .join(" "),
    width: WIDTH,
    height: TOP + moments.length * ROW + 12,
    parts: [
      text(12, 38, "state", { className: "dim" }),
      ...actors.map((who) => text(laneOf(who), 38, who, { className: "strong", anchor: "middle" })),
      text(words, 38, "event", { className: "dim" }),
      ...bands.map(
        ({ state, from, to }, index) =>
          `<rect class="${index % 2 === 0 ? "band" : "none"}" ${index % 2 === 0 ? "" : 'fill="none" '}x="0" y="${TOP + from * ROW}" width="${WIDTH}" height="${(to - from) * ROW}"/>${text(12, TOP + from * ROW + 20, state, { className: "mono" })}`,
      ),
      ...actors.map(
        (who) => `<path class="rule" d="M${laneOf(who)} ${TOP} V${TOP + moments.length * ROW}"/>`,
      ),
      `<path class="dotted" d="M${path}"/>`,
      ...moments.flatMap(({ seq, type, kind, who }, index) => {
        const y = rowOf(index);
        const className = kind === "agent" && who !== actors[0] ? "other" : kind;
        return [
          `<circle class="${className}" cx="${laneOf(who)}" cy="${y}" r="7"/>`,
          text(words, y + 5, `${seq} ${type}`, { className: "mono" }),
          text(words + 190, y + 5, wordsOf(type), { className: "dim" }),
        ];
      }),
    ],
  };
}

function wordsOf(type: string): string {
  const words = WORDS[type];
  if (words === undefined) throw new Error(`the timeline has no words for ${type}`);
  return words;
}

function statesOf(moments: readonly Moment[]): { state: string; from: number; to: number }[] {
  const bands: { state: string; from: number; to: number }[] = [];
  for (const [index, { state }] of moments.entries()) {
    const last = bands.at(-1);
    if (last?.state === state) last.to = index + 1;
    else bands.push({ state, from: index, to: index + 1 });
  }
  return bands;
}
