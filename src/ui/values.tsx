/** Fields to be read: what is only shown, or all of it where nothing can be changed any more. */
import { own, type Json } from "../domain/json";
import { Markdown } from "./markdown";
import { whoText } from "./text";
import { fileIdOf, fileNameOf, shownText } from "./value-text";
import { keysIn } from "./form/fields";
import type { ShownField, Visit } from "./visit";
import type { Reader } from "./words/index";

interface ValuesProps {
  readonly visit: Visit;
  readonly reader: Reader;
  /** With what the person answered. */
  readonly all?: boolean;
}

export function Values({ visit, reader, all = false }: ValuesProps) {
  const { page } = reader.words;
  const answered = all ? visit.model(null).children.flatMap(keysIn) : [];
  const mine = answered.map(
    (key): ShownField => ({
      key,
      label: visit.labelOf(key),
      value: own(visit.session.fields, key),
      isMarkdown: false,
    }),
  );
  const fields = [...mine, ...visit.shown.filter(({ key }) => !answered.includes(key))];
  if (fields.length === 0) return <></>;
  return (
    <section id="values" class="card" aria-labelledby="values-title">
      <h2 id="values-title">{all ? page.answers : page.shown}</h2>
      <dl>
        {fields.map((field) => (
          <>
            <dt dir="auto">{field.label}</dt>
            <dd>
              <Value field={field} visit={visit} reader={reader} />
            </dd>
          </>
        ))}
      </dl>
    </section>
  );
}

function Value({
  field,
  visit,
  reader,
}: {
  readonly field: ShownField;
  readonly visit: Visit;
  readonly reader: Reader;
}) {
  const { value, key } = field;
  const meta = own(visit.session.fieldMeta, key);
  const files = filesIn(value);
  return (
    <>
      {files !== null ? (
        files.map((one) => (
          <a href={`/h/${visit.code}/files/${fileIdOf(one)}`}>{fileNameOf(one)} </a>
        ))
      ) : field.isMarkdown && typeof value === "string" ? (
        <Markdown text={value} />
      ) : (
        <span class="value" dir="auto">
          {shownText(value, reader.words)}
        </span>
      )}
      {meta !== undefined && (
        <span class="meta"> {reader.words.page.filledBy(whoText(meta.actor, reader.words))}</span>
      )}
    </>
  );
}

function filesIn(value: Json | undefined): readonly Json[] | null {
  const list = Array.isArray(value)
    ? (value as readonly Json[])
    : value === undefined
      ? []
      : [value];
  return list.length > 0 && list.every((one) => typeof one !== "string" && fileIdOf(one) !== null)
    ? list
    : null;
}
