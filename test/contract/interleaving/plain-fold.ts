/** What the log and its rows say, read without the product's own fold. */
import type { Stored } from "./driver";

export const versionsOf = ({ commits }: Stored): readonly number[] => [
  ...new Set(commits.map(({ version }) => version)),
];

/** The parts that say most. */
export function plainFold({ events }: Stored) {
  const fields = new Map<string, unknown>();
  let title: unknown = null;
  for (const { type, payload } of events) {
    if (type === "session.updated" && "title" in payload) title = payload["title"];
    if (type === "checkpoint.restored") {
      const document = payload["document"] as { fields: Record<string, unknown>; title: unknown };
      ({ title } = document);
      fields.clear();
      for (const [field, value] of Object.entries(document.fields)) fields.set(field, value);
    }
    if (type !== "fields.updated") continue;
    for (const { field, to } of payload["changes"] as unknown as {
      field: string;
      to?: unknown;
    }[]) {
      if (to === undefined) fields.delete(field);
      else fields.set(field, to);
    }
  }
  const last = events.at(-1);
  const paused = events.findLast(({ type }) => /^session\.(un)?paused$/.test(type))?.type;
  return {
    fields: Object.fromEntries(fields),
    title,
    state: last?.state,
    version: last?.version,
    paused: paused === "session.paused",
  };
}
