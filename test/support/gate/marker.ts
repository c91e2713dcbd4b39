/** Canary texts of one session, and the scan that finds them in any part of an answer. */
import { expect } from "vitest";

/** The members of a session that a participant without read access may still see. */
const OUTLINE = ["expiresAt", "head", "id", "state", "updatedAt", "updatedBy", "version"];

/** A response of any interface. */
export interface ObservedResponse {
  /** The HTTP status, null if the interface has none. */
  readonly status: number | null;
  /** The error code, null on success. */
  readonly code: string | null;
  /** The whole response: headers, body, frames. */
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- bodies of every shape
  readonly body?: any;
}

/** A random text that occurs in no answer by chance. */
export const createMarker = (): string => `kanarie${crypto.randomUUID().replaceAll("-", "")}`;

/** The parts of the session that appear in `text`, by the names in their markers. */
export const leaksIn = (text: string, marker: string): readonly string[] => [
  ...new Set([...text.matchAll(new RegExp(`${marker}-?(\\w*)`, "g"))].map(([, part]) => part!)),
];

export function expectNoContent({ text }: Pick<ObservedResponse, "text">, marker: string): void {
  expect(leaksIn(text, marker), text).toEqual([]);
}

/** For a session whose content can no longer be read. */
export const expectOutline = (shown: object): void =>
  expect(Object.keys(shown).sort()).toEqual(OUTLINE);

/** The same for a tool that returns only the members needed to act. */
export const expectShortOutline = (shown: object): void =>
  expect(Object.keys(shown).sort()).toEqual(["head", "id", "state", "version"]);

export const headersText = (headers: Headers): string =>
  [...headers].map(([name, value]) => `${name}: ${value}`).join("\n");
