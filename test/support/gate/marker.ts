/** Canary texts of one session, and the scan that finds them in everything an answer is made of. */
import { expect } from "vitest";

/** The part of a session that whoever knows of it may always see. */
const OUTLINE = ["expiresAt", "head", "id", "state", "updatedAt", "updatedBy", "version"];

/** What an answer says and shows, on whichever face it was given. */
export interface ObservedResponse {
  /** The HTTP status; null where the face has none. */
  readonly status: number | null;
  /** The code of the refusal; null where it is none. */
  readonly code: string | null;
  /** All of it: headers, body, frames. */
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- bodies of every shape
  readonly body?: any;
}

/** Letters that occur in no answer by chance. */
export const createMarker = (): string => `kanarie${crypto.randomUUID().replaceAll("-", "")}`;

/** The places of the session that `text` shows, by the names they were marked with. */
export const leaksIn = (text: string, marker: string): readonly string[] => [
  ...new Set([...text.matchAll(new RegExp(`${marker}-?(\\w*)`, "g"))].map(([, place]) => place!)),
];

export function expectNoContent({ text }: Pick<ObservedResponse, "text">, marker: string): void {
  expect(leaksIn(text, marker), text).toEqual([]);
}

/** Of a session that may be known of, and no longer be read. */
export const expectOutline = (shown: object): void =>
  expect(Object.keys(shown).sort()).toEqual(OUTLINE);

/** The same from a tool that shows only what one acts by. */
export const expectShortOutline = (shown: object): void =>
  expect(Object.keys(shown).sort()).toEqual(["head", "id", "state", "version"]);

export const headersText = (headers: Headers): string =>
  [...headers].map(([name, value]) => `${name}: ${value}`).join("\n");
