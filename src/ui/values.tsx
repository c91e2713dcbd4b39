/** Fields to be read: what is only shown, or all of it where nothing can be changed any more. */
import { own } from "../domain/json";
import { ReadValue } from "./form/draw-value";
import { keysIn } from "./form/fields";
import { byActorText } from "./text";
import { isOwnField, type PageView } from "./page-view";
import type { Reader } from "./words/index";

interface ValuesProps {
  readonly view: PageView;
  readonly reader: Reader;
  /** With what the person answered. */
  readonly all?: boolean;
}

export function Values({ view, reader, all = false }: ValuesProps) {
  const { page } = reader.words;
  const answered = all ? view.model(null).children.flatMap(keysIn) : [];
  const mine = answered.map(view.fieldOf);
  const fields = [...mine, ...view.shown.filter(({ key }) => !answered.includes(key))];
  if (fields.length === 0) return <></>;
  const writers = fields.map(({ key }) => authorText(view, reader, key));
  const [writer] = writers;
  // One line where all are from the same hand.
  const isOne = writers.every((one) => one === writer);
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
              {!isOne && writers[index] != null && <p class="meta">{writers[index]}</p>}
            </dd>
          </>
        ))}
      </dl>
      {isOne && writer != null && <p class="meta">{writer}</p>}
    </section>
  );
}

/** Null where it was the person who reads this. */
function authorText(visit: PageView, { words }: Reader, key: string): string | null {
  const actor = own(visit.session.fieldMeta, key)?.actor;
  const isNamed = actor !== undefined && !isOwnField(visit, key);
  return isNamed ? words.page.filledBy(byActorText(actor, words)) : null;
}
