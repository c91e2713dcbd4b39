/** The log as sentences, newest first. */
import type { LogEvent } from "../domain/log/event";
import { isJsonObject, type Json } from "../domain/json";
import { timeText, whoText } from "./text";
import { EVENT_WORDS, PAGE, QUIET_EVENTS } from "./words";

export function Timeline({ events }: { readonly events: readonly LogEvent[] }) {
  return (
    <section id="timeline" aria-labelledby="timeline-title">
      <h2 id="timeline-title">{PAGE.timeline}</h2>
      <ol class="timeline" reversed>
        {events
          // What follows from another event was told with that one.
          .filter(({ type, payload }) => !QUIET_EVENTS.test(type) && !("cause" in payload))
          .toReversed()
          .map((event) => (
            <li data-seq={String(event.seq)}>
              <time datetime={event.at}>{timeText(event.at)}</time>
              <span>
                <b>{whoText(event.actor)}</b> {EVENT_WORDS[event.type] ?? event.type}
                {detailOf(event)}
              </span>
            </li>
          ))}
      </ol>
    </section>
  );
}

function detailOf({ payload, type }: LogEvent): string {
  if (type === "fields.updated") {
    const changes = Array.isArray(payload["changes"]) ? (payload["changes"] as Json[]) : [];
    const names = changes.filter(isJsonObject).map((change) => String(change["field"]));
    return ` ${names.join(", ")}`;
  }
  const said = ["note", "reason", "comment", "message", "name"]
    .map((key) => payload[key])
    .find((text) => typeof text === "string" && text !== "");
  return typeof said === "string" ? `: ${said}` : "";
}
