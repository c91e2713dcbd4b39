/** The session's document: its fields under the titles of the schema, who filled them in, what is missing. */
import { own, type JsonObject } from "../../domain/json";
import type { SessionView } from "../../domain/session/view";
import { whoText } from "../text";
import { shownText } from "../value-text";
import { titleOf } from "../visit";
import type { ConsoleReader } from "./reader";

interface DocumentProps {
  readonly session: SessionView;
  readonly reader: ConsoleReader;
}

export function Document({ session, reader }: DocumentProps) {
  const words = reader.console.session;
  const { fields, fieldMeta, schema, missingFields } = session;
  const label = (field: string): string => titleOf(schema as JsonObject | null, field);
  const names = Object.keys(fields);
  return (
    <section id="document" class="card">
      <h2>{words.document}</h2>
      {names.length === 0 && <p>{words.noFields}</p>}
      {names.length > 0 && (
        <dl>
          {names.map((name) => {
            const meta = own(fieldMeta, name);
            return (
              <>
                <dt dir="auto">{label(name)}</dt>
                <dd>
                  <span class="value" dir="auto">
                    {shownText(own(fields, name), reader.words)}
                  </span>
                  {meta !== undefined && (
                    <span class="meta"> {words.by(whoText(meta.actor, reader.words))}</span>
                  )}
                </dd>
              </>
            );
          })}
        </dl>
      )}
      {missingFields.length > 0 && (
        <p>
          {words.missing} <span dir="auto">{missingFields.map(label).join(", ")}</span>
        </p>
      )}
    </section>
  );
}
