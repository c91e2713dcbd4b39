/** What readers saw: the log's own events from where they began, each once, in order. */
import type { LoggedCommit, Stream, Violation } from "./history.ts";
import { canonical } from "./plain-fold.ts";

export function checkStreams(
  commits: readonly LoggedCommit[],
  streams: readonly Stream[],
): readonly Violation[] {
  const log = commits.flatMap(({ events }) => events);
  const lines = new Map(log.map((event) => [event.seq, canonical(event)]));
  return streams.flatMap(({ id, after, events }) => {
    for (const [index, event] of events.entries()) {
      const expected = after + 1 + index;
      if (event.seq !== expected) {
        const what = `${id} was given ${event.seq} where ${expected} comes`;
        return [{ rule: "readers see the log", what }];
      }
      if (lines.get(event.seq) !== canonical(event)) {
        const what = `${id} was given another event ${event.seq} than the log has`;
        return [{ rule: "readers see the log", what }];
      }
    }
    return [];
  });
}
