/** What every form of a person's page has beside its inputs: what it showed, and the ways out. */
import { own, type Json } from "../domain/json";
import { keysIn } from "./form/fields";
import type { PartProps } from "./part";
import type { Reader } from "./words/index";

/** What the form showed: by it a save touches only what the person changed. */
export function Hidden({ visit, state }: PartProps) {
  const { session, shown } = visit;
  const keys = visit.model(state.typed ?? null).children.flatMap(keysIn);
  const base = Object.fromEntries(
    keys.flatMap((key): readonly (readonly [string, Json])[] => {
      const value = own(session.fields, key);
      return value === undefined ? [] : [[key, value]];
    }),
  );
  const seen = Object.fromEntries(
    shown.flatMap(({ key, value }) => (value === undefined ? [] : [[key, value]])),
  );
  return (
    <>
      <input type="hidden" name="version" value={String(session.version)} />
      <input type="hidden" name="key" value={state.key} />
      <input type="hidden" name="base" value={JSON.stringify(base)} />
      <input type="hidden" name="seen" value={JSON.stringify(seen)} />
      <input type="hidden" name="drawn" value={JSON.stringify(keys)} />
      <input type="hidden" name="open" value={JSON.stringify([...(state.conflicts ?? [])])} />
    </>
  );
}

/** Each folded, because one press closes the link for good: who opens it reads that first. */
export function Declining({ reader }: { readonly reader: Reader }) {
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
          <button
            type="submit"
            name="action"
            value="decline"
            class="final"
            aria-describedby="declining-help"
          >
            {page.declineNow}
          </button>
        </p>
      </details>
      <details>
        <summary>{page.notMe}</summary>
        <p id="not-me-help">{page.declineHelp}</p>
        <p>
          <button
            type="submit"
            name="action"
            value="notMe"
            class="final"
            aria-describedby="not-me-help"
          >
            {landing.closeLink}
          </button>
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
      <button type="submit" name="action" value="passOn">
        {page.passOn}
      </button>
    </div>
  );
}
