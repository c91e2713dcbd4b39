/**
 * A notice as a person reads it in a channel: a title, what happened, who waits, and a link where one
 * may be shown. Titles are what a client wrote, so each format below escapes them for its channel.
 */
import { NOTICES } from "./catalogue";
import type { Notice } from "./notice";

export interface Message {
  readonly title: string;
  readonly text: string;
  /** Who is waited for, or null. */
  readonly waiting: string | null;
  readonly url: string | null;
}

const WAITING: Readonly<Record<string, string>> = {
  review: "Waiting for a review",
  person: "Waiting for a person",
  job: "Waiting for a job",
  time: "Waiting for its next attempt",
  agent: "Waiting for an agent",
};

export function messageOf({ type, data }: Notice, url: string | null): Message {
  const waiting = data.waiting === null ? undefined : WAITING[data.waiting.for];
  return {
    // Channels refuse an empty title, and a title of spaces is one.
    title: oneLine(data.title ?? "") || subjectOf(data),
    text: NOTICES[type],
    waiting: waiting === undefined ? null : `${waiting}.`,
    url,
  };
}

const subjectOf = ({ sessionId, origin }: Notice["data"]): string =>
  sessionId === undefined ? `Endpoint at ${origin ?? "an address"}` : `Session ${sessionId}`;

/** Headers and short fields hold one line. */
// oxlint-disable-next-line no-control-regex -- these are the ones to be removed
const oneLine = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f]+/g, " ").trim();
