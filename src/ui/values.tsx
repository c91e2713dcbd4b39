/** Fields to be read: what is only shown, or all of it where nothing can be changed any more. */
import { own } from "../domain/json";
import { ReadValue } from "./form/draw-value";
import { keysIn } from "./form/fields";
import { whoDid } from "./text";
import { isOwnWork, type Visit } from "./visit";
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
  const mine = answered.map(visit.read);
  const fields = [...mine, ...visit.shown.filter(({ key }) => !answered.includes(key))];
  if (fields.length === 0) return <></>;
  const writers = fields.map(({ key }) => writerOf(visit, reader, key));
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
                downloads={`/h/${visit.code}/files`}
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
function writerOf(visit: Visit, { words }: Reader, key: string): string | null {
  const actor = own(visit.session.fieldMeta, key)?.actor;
  const isNamed = actor !== undefined && !isOwnWork(visit, key);
  return isNamed ? words.page.filledBy(whoDid(actor, words)) : null;
}
