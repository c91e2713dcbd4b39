/** Fields to read: those that are only shown, or all of them if nothing can be changed any more. */
import { own } from "../domain/json";
import { ReadValue } from "./form/draw-value";
import { keysIn } from "./form/fields";
import { byActorText } from "./text";
import { isOwnField, type PageView } from "./page-view";
import type { Reader } from "./words/index";

interface ValuesProps {
  readonly view: PageView;
  readonly reader: Reader;
  /** Includes the person's own answers. */
  readonly all?: boolean;
}

export function Values({ view, reader, all = false }: ValuesProps) {
  const { page } = reader.words;
  const answered = all ? view.model(null).children.flatMap(keysIn) : [];
  const ownFields = answered.map(view.fieldOf);
  const fields = [...ownFields, ...view.shown.filter(({ key }) => !answered.includes(key))];
  if (fields.length === 0) return <></>;
  const authors = fields.map(({ key }) => authorText(view, reader, key));
  const [author] = authors;
  // One line if all have the same author.
  const isOne = authors.every((one) => one === author);
  return (
    <section id="values" class={all ? "card" : "card beside"} aria-labelledby="values-title">
      <h2 id="values-title">{all ? page.answers : page.shown}</h2>
      <dl>
        {fields.map(({ label, value, node }, index) => (
          <>
            <dt dir="auto">{label}</dt>
            <dd>
              <ReadValue
                node={node}
                value={value}
                reader={reader}
                downloads={`/h/${view.code}/files`}
              />
              {!isOne && authors[index] != null && <p class="meta">{authors[index]}</p>}
            </dd>
          </>
        ))}
      </dl>
      {isOne && author != null && <p class="meta">{author}</p>}
    </section>
  );
}

/** Null if the person on this page wrote it. */
function authorText(view: PageView, { words }: Reader, key: string): string | null {
  const actor = own(view.session.fieldMeta, key)?.actor;
  const isNamed = actor !== undefined && !isOwnField(view, key);
  return isNamed ? words.page.filledBy(byActorText(actor, words)) : null;
}
