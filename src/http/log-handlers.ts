/** The log over HTTP: replay as pages, lines or a live stream, appending, and the audit. */
import { projectionOf } from "../domain/log/event-members";
import { LIMITS } from "../domain/limits";
import { awaitEvents } from "../gateway/await-events";
import type { Follower } from "../gateway/follower";
import type { Gateway } from "../gateway/gateway";
import { answerJson, answerProblem, replayedHeader } from "./answers";
import { lineTypeIn } from "./event-lines";
import { answerRefusal, type SomeHandlers } from "./handler";
import { parseStart, streamEvents, acceptsEventStream } from "./live-events";
import { answerPage, answerPages, nextAfterMember, type ReadPage } from "./log-pages";

export const logHandlers = {
  async readEvents({ gateway, principal, query, headers, signal }) {
    const { after = null, limit, type: types = [], waitMs = 0, members } = query;
    const projection = projectionOf(members);
    const follow = (from: number | null): Follower => {
      const follower = gateway.follow(principal, from, types);
      // A stream's `cancel` is not reliable: the platform may drop it silently.
      signal?.addEventListener("abort", () => follower.close());
      return follower;
    };
    if (acceptsEventStream(headers)) {
      const start = parseStart(headers, after);
      if (!start.ok) return answerProblem(start.error);
      const streamed = await streamEvents(
        follow(start.value),
        headers.has("Last-Event-ID"),
        projection,
      );
      return streamed instanceof Response ? streamed : answerRefusal(streamed);
    }
    const read: ReadPage = (from, size) =>
      gateway.events(principal, "events", { after: from, types, ...size });
    if (waitMs === 0 || lineTypeIn(headers.get("Accept")) !== null) {
      return answerPages(headers, read, after, limit, nextAfterMember, projection);
    }
    const count = limit ?? LIMITS.pageEventsDefault;
    const first = await read(after, { limit: count });
    if (!first.ok) return answerRefusal(first);
    const { count: found, more, ended, nextAfter } = first.value;
    if (found > 0 || more || ended) return answerPage(first.value, nextAfterMember, projection);
    const awaited = await awaitEvents(follow(nextAfter), waitMs, count);
    if (!awaited.ok) return answerRefusal(awaited);
    // No events came, perhaps because access has ended: reading the log again returns the reason.
    return awaited.value.texts.length === 0
      ? answerPages(headers, read, awaited.value.nextAfter, limit, nextAfterMember, projection)
      : answerPage(awaited.value, nextAfterMember, projection);
  },

  async appendEvents({ gateway, principal, body, ...options }) {
    const { events, expectedHead = null } = body;
    const appended = events as Parameters<Gateway["append"]>[1];
    const reply = await gateway.append(principal, appended, expectedHead, options);
    if (!reply.ok) return answerRefusal(reply);
    const { first, last, head, replayed } = reply.value;
    return answerJson(201, { first, last, head }, replayedHeader(replayed));
  },

  async audit({ gateway, principal, query, headers }) {
    const {
      cursor = 0,
      limit,
      type: types = [],
      after: since,
      before: until,
      actor,
      ...rest
    } = query;
    const read: ReadPage = (from, size) =>
      gateway.events(principal, "audit", {
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
