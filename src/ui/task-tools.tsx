/** The common parts of a person's forms: the hidden state, and the ways to decline or pass on. */
import { own } from "../domain/json";
import { ActionButton } from "./form/action-button";
import { keysIn } from "./form/fields";
import type { TaskProps } from "./task";
import type { Reader } from "./words/index";

/** What the form showed, so that a save changes only the fields that the person changed. */
export function HiddenInputs({ view, state }: TaskProps) {
  const { session, shown } = view;
  const { children, language } = view.model(state.typed ?? null);
  const keys = children.flatMap(keysIn);
  // JSON leaves out fields without a value.
  const texts = {
    version: String(session.version),
    language,
    key: state.key,
    base: JSON.stringify(Object.fromEntries(keys.map((key) => [key, own(session.fields, key)]))),
    seen: JSON.stringify(Object.fromEntries(shown.map(({ key, value }) => [key, value]))),
    drawn: JSON.stringify(keys),
    open: JSON.stringify([...(state.conflicts ?? [])]),
  };
  return (
    <>
      {Object.entries(texts).map(([name, text]) => (
        <input type="hidden" name={name} value={text} />
      ))}
    </>
  );
}

/** Folded, because one press closes the link for good: the person reads that first. */
export function DeclineOptions({ reader }: { readonly reader: Reader }) {
  const { page, landing } = reader.words;
  return (
    <>
      <details>
        <summary>{page.decline}</summary>
        <p id="declining-help">{page.declineHelp}</p>
        <div class="control">
          <label for="declining">{page.reason}</label>
          <textarea id="declining" name="declining" rows={2} dir="auto"></textarea>
        </div>
        <p>
          <ActionButton action="decline" class="final" aria-describedby="declining-help">
            {page.declineNow}
          </ActionButton>
        </p>
      </details>
      <details>
        <summary>{page.notMe}</summary>
        <p id="not-me-help">{page.declineHelp}</p>
        <p>
          <ActionButton action="notMe" class="final" aria-describedby="not-me-help">
            {landing.closeLink}
          </ActionButton>
        </p>
      </details>
    </>
  );
}

export function PassOn({ reader }: { readonly reader: Reader }) {
  const { page } = reader.words;
  return (
    <div class="control">
      <p class="help">{page.passOnHelp}</p>
      <ActionButton action="passOn">{page.passOn}</ActionButton>
    </div>
  );
}
