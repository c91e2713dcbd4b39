/**
 * What other objects are to be told of a session, derived from each commit and kept in the session's
 * row until they have acknowledged it. Telling follows the answer, so no write waits for another
 * object; each message carries the session's seq, so that what comes twice or late changes nothing.
 */
import type { JsonObject } from "../json";
import type { StoredEndpoint } from "../notices/stored-endpoint";
import type { Waiting } from "./waiting";

/** One message for another object. Those with the same `to` are told in the order of `seq`. */
export interface Telling {
  /** The id of what is told. */
  readonly to: string;
  /** Of the commit that it tells of. */
  readonly seq: number;
  readonly body: JsonObject;
}

/** Stands in the session's row. A session that nobody is told of has none. */
export interface News {
  readonly waiting: Waiting | null;
  /** Not yet acknowledged, oldest first. */
  readonly untold: readonly Telling[];
  /** Where notices of this session are posted. */
  readonly endpoints?: readonly StoredEndpoint[];
  /** The end that was announced, and since when the wait began that was told of as long. */
  readonly expiring?: number;
  readonly longWait?: number;
  /** From here on the session answers as if it were gone; what is left to do is to tell so. */
  readonly isPurging?: true;
}

export const NO_NEWS: News = { waiting: null, untold: [] };

/** An endpoint is told everything; so many commits wait only if its object cannot be reached for days. */
const KEPT_FOR_ENDPOINT = 1_000;

/** With one message more. Of too many for one receiver the oldest leaves. */
export function withTelling(news: News, telling: Telling): News {
  const others = news.untold.filter(({ to }) => to === telling.to);
  const [oldest] = others;
  const isFull = others.length >= KEPT_FOR_ENDPOINT;
  const kept = isFull ? news.untold.filter((one) => one !== oldest) : news.untold;
  return { ...news, untold: [...kept, telling] };
}

/** Without what a receiver has acknowledged: everything for it up to a seq. */
export const acknowledged = (news: News, to: string, upTo: number): News => ({
  ...news,
  untold: news.untold.filter((one) => one.to !== to || one.seq > upTo),
});
