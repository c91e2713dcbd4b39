/** The fields as they are, to be read. */
import { own } from "../domain/json";
import { fileIdOf as fileId, shown } from "./value-text";
import { whoText } from "./text";
import { may, type Visit } from "./visit";
import { PAGE } from "./words";

export function Values({ visit }: { readonly visit: Visit }) {
  const { session, code } = visit;
  const specs = may(visit, "setFields") ? visit.shown : [...visit.specs, ...visit.shown];
  return (
    <section id="values" aria-labelledby="values-title">
      <h2 id="values-title">{PAGE.values}</h2>
      <dl>
        {specs.map((spec) => {
          const value = own(session.fields, spec.key);
          const meta = own(session.fieldMeta, spec.key);
          const id = spec.kind === "file" ? fileId(value) : null;
          return (
            <>
              <dt>{spec.label}</dt>
              <dd>
                {id === null ? (
                  <span class="value">{shown(value)}</span>
                ) : (
                  <a href={`/h/${code}/files/${id}`}>{shown(value)}</a>
                )}
                {meta !== undefined && (
                  <span class="meta"> {PAGE.filledBy(whoText(meta.actor))}</span>
                )}
              </dd>
            </>
          );
        })}
      </dl>
    </section>
  );
}
