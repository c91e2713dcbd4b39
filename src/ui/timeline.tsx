/** The log as sentences, newest first, folded away: who wants to know opens it. */
import type { LogEvent } from "../domain/log/event";
import { isJsonObject, type Json } from "../domain/json";
import { actorAtStart } from "./text";
import { isLinkHolder, type PageView } from "./page-view";
import type { Reader } from "./words/index";

export function Timeline({ visit, reader }: { readonly visit: PageView; readonly reader: Reader }) {
  const told: Readonly<Record<string, string>> = reader.words.events;
  const events = visit.events.filter((event) => told[eventTextKey(event)] !== undefined);
  return (
    <details id="timeline">
      <summary>{reader.words.page.history}</summary>
      <ol class="timeline" reversed>
        {events.toReversed().map((event) => (
          <li data-seq={String(event.seq)}>
            <time datetime={event.at}>{reader.time(event.at)}</time>
            <span>
              <b dir="auto">
                {actorAtStart(event.actor, reader.words, isLinkHolder(visit, event.actor))}
              </b>{" "}
              {told[eventTextKey(event)]}
              {detailSuffix(event, visit)}
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** An answer stands in the history by what it did; to hand back does nothing else. */
export const eventTextKey = ({ type, payload }: LogEvent): string =>
  payload["answer"] === "handed_back" ? "person.handed_back" : type;

/** The same, to follow the sentence that says what it is. */
export function detailSuffix(event: LogEvent, visit: Pick<PageView, "labelOf">): string {
  const said = eventDetail(event, visit);
  return said === "" ? "" : `: ${said}`;
}

/** What an event says beside what it is: which fields, which note. */
export function eventDetail({ payload, type }: LogEvent, visit: Pick<PageView, "labelOf">): string {
  if (type === "fields.updated") {
    const changes = Array.isArray(payload["changes"]) ? (payload["changes"] as Json[]) : [];
    const names = changes
      .filter(isJsonObject)
      .map((change) => visit.labelOf(String(change["field"])));
    return names.join(", ");
  }
  const said = ["note", "reason", "comment", "message", "name"]
    .map((key) => payload[key])
    .find((text) => typeof text === "string" && text !== "");
  return typeof said === "string" ? said : "";
}
