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

export function Declining({ reader }: { readonly reader: Reader }) {
  const { page } = reader.words;
  return (
    <div class="control">
      <label for="declining">{page.reason}</label>
      <p class="help" id="declining-help">
        {page.declineHelp}
      </p>
      <textarea
        id="declining"
        name="declining"
        rows={2}
        dir="auto"
        aria-describedby="declining-help"
      ></textarea>
      <p class="actions">
        <button type="submit" name="action" value="decline">
          {page.decline}
        </button>
        <button type="submit" name="action" value="notMe">
          {page.notMe}
        </button>
      </p>
    </div>
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
