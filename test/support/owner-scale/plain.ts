/**
 * A plain list of an owner's sessions, to compare with the directory: the expected result of each
 * filter, found by a full scan. Sessions that exist only in the directory are generated here.
 */
import { randomBytes } from "node:crypto";
import { sessionIdFromHex } from "../../../src/domain/ids.ts";

export interface ExpectedSession {
  readonly id: string;
  readonly title: string;
  readonly state: string;
  readonly waiting: { readonly for: string; readonly since: number } | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly externalId?: string;
  readonly createdAt: number;
  readonly changedAt: number;
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const STATES = ["draft", "in_progress", "awaiting_input", "needs_review", "cancelled", "expired"];
const WAITS = ["agent", "job", "person", "review", "time"];
const TEAMS = ["red", "blue", "green", "grey"];
const KINDS = ["Water damage", "Invoice", "Visa application", "New laptop"];

export const titleOf = (nth: number): string =>
  `${KINDS[nth % KINDS.length]} number${nth}${nth % 500 === 0 ? " rare" : ""}`;
export const labelsOf = (nth: number): ExpectedSession["labels"] => ({
  team: TEAMS[nth % TEAMS.length] ?? "",
  ...(nth % 1_000 === 1 ? { flag: "seldom" } : {}),
});
export const nameOf = (nth: number): { readonly externalId?: string } =>
  nth % 3 === 0 ? { externalId: `claim-${nth}` } : {};

/** A session that exists only in the directory, up to ninety days old, and its update. */
export function generateSession(nth: number, owner: string, random: () => number, now: number) {
  const objectIdHex = randomBytes(32).toString("hex");
  const createdAt = now - Math.floor(DAY_MS + random() * 89 * DAY_MS);
  const changedAt = createdAt + Math.floor(random() ** 2 * (now - createdAt));
  const state = STATES[Math.floor(random() * STATES.length)] ?? "draft";
  const hasEnded = state === "cancelled" || state === "expired";
  const kind = WAITS[Math.floor(random() * WAITS.length)] ?? "agent";
  const waitsFrom = createdAt + random() * (changedAt - createdAt);
  // On the hour, half an hour from every limit in a filter, because waiting times grow during the run.
  const since = Math.ceil(waitsFrom / HOUR_MS) * HOUR_MS;
  const plain: ExpectedSession = {
    id: sessionIdFromHex(objectIdHex),
    title: titleOf(nth),
    state,
    waiting: hasEnded ? null : { for: kind, since },
    labels: labelsOf(nth),
    ...nameOf(nth),
    createdAt,
    changedAt,
  };
  const { title, labels, waiting, externalId } = plain;
  const belongs = { owner, ...(externalId === undefined ? {} : { externalId, nth: 0 }) };
  const listing = { title, state, waiting, labels, changedAt, expiresAt: now + DAY_MS, seq: 1 };
  return { plain, update: { objectIdHex, createdAt, belongs, notices: [], listings: [listing] } };
}

export interface Filter {
  readonly query: string;
  readonly isWanted: (one: ExpectedSession) => boolean;
  /** The end of a range of times. Default: now. */
  readonly until?: number;
  /** Combines conditions without a common index: a page may be short, and costs at most the protocol's limit. */
  readonly isCombined?: true;
}

const iso = (time: number): string => new Date(time).toISOString();
const words = ({ title, labels, externalId = "" }: ExpectedSession): readonly string[] =>
  [title, externalId, ...Object.values(labels)]
    .join(" ")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
const has =
  (...selected: readonly string[]) =>
  (one: ExpectedSession) =>
    selected.every((word) => words(one).includes(word));

const waits = (one: ExpectedSession, kind?: string): boolean =>
  one.waiting !== null && (kind === undefined || one.waiting.for === kind);

/** Every filter, alone and combined with others. */
export function filters(now: number): readonly Filter[] {
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS - HOUR_MS / 2;
  const [day, week, month] = [hour - DAY_MS, hour - 7 * DAY_MS, hour - 30 * DAY_MS];
  return [
    { query: "", isWanted: () => true },
    ...STATES.map((state) => ({
      query: `state=${state}`,
      isWanted: (one: ExpectedSession) => one.state === state,
    })),
    {
      query: "state=draft,cancelled",
      isWanted: ({ state }) => state === "draft" || state === "cancelled",
    },
    ...WAITS.map((kind) => ({
      query: `waiting=${kind}`,
      isWanted: (one: ExpectedSession) => waits(one, kind),
    })),
    {
      query: `waitingLongerThanMs=${Date.now() - month}`,
      until: month,
      isWanted: (one) => waits(one) && (one.waiting?.since ?? 0) <= month,
    },
    {
      query: `waiting=person&waitingLongerThanMs=${Date.now() - week}`,
      until: week,
      isWanted: (one) => waits(one, "person") && (one.waiting?.since ?? 0) <= week,
    },
    { query: "label=team:blue", isWanted: ({ labels }) => labels["team"] === "blue" },
    { query: "label=flag:seldom", isWanted: ({ labels }) => labels["flag"] === "seldom" },
    {
      query: "label=team:red&state=needs_review&waiting=review",
      isCombined: true,
      isWanted: (one) =>
        one.labels["team"] === "red" && one.state === "needs_review" && waits(one, "review"),
    },
    {
      query: `label=team:blue&state=draft,in_progress&waiting=job&changedBefore=${iso(month)}`,
      isCombined: true,
      isWanted: (one) =>
        one.labels["team"] === "blue" &&
        (one.state === "draft" || one.state === "in_progress") &&
        waits(one, "job") &&
        one.changedAt < month,
    },
    {
      query: `q=invoice&state=expired&changedAfter=${iso(day)}`,
      isCombined: true,
      isWanted: (one) => has("invoice")(one) && one.state === "expired" && one.changedAt > day,
    },
    { query: "externalId=claim-6000", isWanted: (one) => one.externalId === "claim-6000" },
    { query: "q=invoice", isWanted: has("invoice") },
    { query: "q=rare", isWanted: has("rare") },
    { query: "q=rare%20Water", isWanted: has("rare", "water") },
    { query: "q=number4711", isWanted: has("number4711") },
    { query: "q=seldom", isWanted: has("seldom") },
    {
      query: "q=rare&label=team:red",
      isWanted: (one) => has("rare")(one) && one.labels["team"] === "red",
    },
    { query: `createdAfter=${iso(day)}`, isWanted: ({ createdAt }) => createdAt > day },
    { query: `createdBefore=${iso(month)}`, isWanted: ({ createdAt }) => createdAt < month },
    {
      query: `createdAfter=${iso(month)}&createdBefore=${iso(week)}&state=draft`,
      isWanted: ({ createdAt, state }) =>
        createdAt > month && createdAt < week && state === "draft",
    },
    { query: `changedAfter=${iso(day)}`, isWanted: ({ changedAt }) => changedAt > day },
    {
      query: `changedBefore=${iso(month)}`,
      until: month,
      isWanted: ({ changedAt }) => changedAt < month,
    },
    {
      query: `changedAfter=${iso(month)}&changedBefore=${iso(week)}`,
      until: week,
      isWanted: ({ changedAt }) => changedAt > month && changedAt < week,
    },
  ];
}
