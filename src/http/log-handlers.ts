/** The log over HTTP: replay as pages, lines or a live stream, appending, and the audit. */
import { cutTo } from "../domain/log/members";
import { LIMITS } from "../domain/limits";
import { awaitEvents } from "../gateway/await-events";
import type { Follower } from "../gateway/follower";
import type { Gateway } from "../gateway/gateway";
import { answerJson, answerProblem, replayedHeader } from "./answers";
import { lineTypeIn } from "./event-lines";
import { refused, type SomeHandlers } from "./handler";
import { startOf, streamEvents, wantsEventStream } from "./live-events";
import { answerPage, answerPages, placeAfter, type Pages } from "./log-pages";

export const logHandlers = {
  async readEvents({ gateway, presented, query, headers, signal }) {
    const { after = null, limit, type: types = [], waitMs = 0, members } = query;
    const cut = cutTo(members);
    const follow = (from: number | null): Follower => {
      const follower = gateway.follow(presented, from, types);
      // A stream's cancel is not to be relied on: the platform may drop it without a word.
      signal?.addEventListener("abort", () => follower.close());
      return follower;
    };
    if (wantsEventStream(headers)) {
      const start = startOf(headers, after);
      if (!start.ok) return answerProblem(start.error);
      const streamed = await streamEvents(follow(start.value), headers.has("Last-Event-ID"), cut);
      return streamed instanceof Response ? streamed : refused(streamed);
    }
    const read: Pages = (from, size) =>
      gateway.events(presented, "events", { after: from, types, ...size });
    if (waitMs === 0 || lineTypeIn(headers.get("Accept")) !== null) {
      return answerPages(headers, read, after, limit, placeAfter, cut);
    }
    const count = limit ?? LIMITS.pageEventsDefault;
    const first = await read(after, { limit: count });
    if (!first.ok) return refused(first);
    const { count: found, more, ended, nextAfter } = first.value;
    if (found > 0 || more || ended) return answerPage(first.value, placeAfter, cut);
    const awaited = await awaitEvents(follow(nextAfter), waitMs, count);
    if (!awaited.ok) return refused(awaited);
    // Nothing came: perhaps because the right to read is over, and then the log says so and why.
    return awaited.value.texts.length === 0
      ? answerPages(headers, read, awaited.value.nextAfter, limit, placeAfter, cut)
      : answerPage(awaited.value, placeAfter, cut);
  },

  async appendEvents({ gateway, presented, body, ...options }) {
    const { events, expectedHead = null } = body;
    const appended = events as Parameters<Gateway["append"]>[1];
    const reply = await gateway.append(presented, appended, expectedHead, options);
    if (!reply.ok) return refused(reply);
    const { first, last, head, replayed } = reply.value;
    return answerJson(201, { first, last, head }, replayedHeader(replayed));
  },

  async audit({ gateway, presented, query, headers }) {
    const {
      cursor = 0,
      limit,
      type: types = [],
      after: since,
      before: until,
      actor,
      ...rest
    } = query;
    const read: Pages = (from, size) =>
      gateway.events(presented, "audit", {
        ...actor,
        ...rest,
        after: from,
        types,
        since,
        until,
        ...size,
      });
    return answerPages(headers, read, cursor, limit, ({ nextAfter }) => ({
      nextCursor: nextAfter,
    }));
  },
} satisfies SomeHandlers;
