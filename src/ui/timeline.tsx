/** The log as sentences, newest first, in a folded section. */
import type { LogEvent } from "../domain/log/event";
import { isJsonObject, type Json } from "../domain/json";
import { actorAtStart } from "./text";
import { isLinkHolder, type PageView } from "./page-view";
import type { Reader } from "./words/index";

export function Timeline({ view, reader }: { readonly view: PageView; readonly reader: Reader }) {
  const eventTexts: Readonly<Record<string, string>> = reader.words.events;
  const events = view.events.filter((event) => eventTexts[eventTextKey(event)] !== undefined);
  return (
    <details id="timeline">
      <summary>{reader.words.page.history}</summary>
      <ol class="timeline" reversed>
        {events.toReversed().map((event) => (
          <li data-seq={String(event.seq)}>
            <time datetime={event.at}>{reader.time(event.at)}</time>
            <span>
              <b dir="auto">
                {actorAtStart(event.actor, reader.words, isLinkHolder(view, event.actor))}
              </b>{" "}
              {eventTexts[eventTextKey(event)]}
              {detailSuffix(event, view)}
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** Handing back causes no event of its own, so it is recognized by its answer. */
export const eventTextKey = ({ type, payload }: LogEvent): string =>
  payload["answer"] === "handed_back" ? "person.handed_back" : type;

/** The detail as a suffix of the event's sentence. */
export function detailSuffix(event: LogEvent, view: Pick<PageView, "labelOf">): string {
  const detail = eventDetail(event, view);
  return detail === "" ? "" : `: ${detail}`;
}

/** The fields or the note of an event. */
export function eventDetail({ payload, type }: LogEvent, view: Pick<PageView, "labelOf">): string {
  if (type === "fields.updated") {
    const changes = Array.isArray(payload["changes"]) ? (payload["changes"] as Json[]) : [];
    const names = changes
      .filter(isJsonObject)
      .map((change) => view.labelOf(String(change["field"])));
    return names.join(", ");
  }
  const detail = ["note", "reason", "comment", "message", "name"]
    .map((key) => payload[key])
    .find((text) => typeof text === "string" && text !== "");
  return typeof detail === "string" ? detail : "";
}
