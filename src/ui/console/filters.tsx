/** The filters of the list: a plain GET form. */
import { WAIT_REASONS } from "../../domain/owners/waiting";
import { STATES } from "../../domain/session/state";
import { LIMITS } from "../../domain/limits";
import type { Filter, ListParams } from "./list-params";
import type { ConsoleReader } from "./reader";

const HOUR_MS = 60 * 60 * 1000;
const WAIT_LENGTHS_MS = [HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS, 3 * 24 * HOUR_MS, 7 * 24 * HOUR_MS];

interface FiltersProps {
  readonly params: ListParams;
  readonly reader: ConsoleReader;
}

export function Filters({ params, reader }: FiltersProps) {
  const { list, session } = reader.console;
  const { typed } = params;
  const isOpen = [...typed.keys()].some((name) => name !== "q" && name !== "waiting");
  return (
    <search>
      <form method="get" action="/console" class="filters">
        {params.span === "month" && <input type="hidden" name="span" value="month" />}
        <div class="find">
          <div>
            <label for="q">{list.search}</label>
            <input
              id="q"
              name="q"
              type="search"
              dir="auto"
              maxlength={LIMITS.textLength}
              value={typed.get("q") ?? ""}
              placeholder={list.searchHelp}
            />
          </div>
          <button type="submit" class="primary">
            {list.apply}
          </button>
        </div>
        <details open={isOpen}>
          <summary>{list.filters}</summary>
          <div class="grid">
            <StatesFilter params={params} reader={reader} />
            <WaitsFilter params={params} reader={reader} />
            <TextFilter name="label" label={list.label} help={list.labelHelp} params={params} />
            <TextFilter name="externalId" label={session.externalId} params={params} />
            <TextFilter name="createdAfter" label={list.createdAfter} type="date" params={params} />
            <TextFilter
              name="createdBefore"
              label={list.createdBefore}
              type="date"
              params={params}
            />
            <TextFilter name="changedAfter" label={list.changedAfter} type="date" params={params} />
            <TextFilter
              name="changedBefore"
              label={list.changedBefore}
              type="date"
              params={params}
            />
          </div>
          <p class="pages">
            <button type="submit">{list.apply}</button>
            {typed.size > 0 && <a href="/console">{list.clear}</a>}
          </p>
        </details>
      </form>
    </search>
  );
}

function StatesFilter({ params, reader }: FiltersProps) {
  const chosen = (params.typed.get("state") ?? "").split(",");
  return (
    <fieldset class="states">
      <legend>{reader.console.list.state}</legend>
      {STATES.map((state) => (
        <label class="option">
          <input type="checkbox" name="state" value={state} checked={chosen.includes(state)} />
          <span>{reader.words.states[state]}</span>
        </label>
      ))}
    </fieldset>
  );
}

function WaitsFilter({ params: { typed }, reader }: FiltersProps) {
  const { list, waits } = reader.console;
  const longer = typed.get("waitingLongerThanMs") ?? "";
  const lengths = [
    ...new Set([...WAIT_LENGTHS_MS.map(String), ...(longer === "" ? [] : [longer])]),
  ];
  return (
    <>
      <div>
        <label for="waiting">{list.waits}</label>
        <select id="waiting" name="waiting">
          <option value="">{list.any}</option>
          {WAIT_REASONS.map((kind) => (
            <option value={kind} selected={typed.get("waiting") === kind}>
              {waits[kind]}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label for="longer">{list.longer}</label>
        <select id="longer" name="waitingLongerThanMs">
          <option value="">{list.anyTime}</option>
          {lengths.map((ms) => (
            <option value={ms} selected={ms === longer}>
              {/^\d+$/.test(ms) ? reader.age(Number(ms)) : ms}
            </option>
          ))}
        </select>
      </div>
    </>
  );
}

interface TextFilterProps {
  readonly name: Filter;
  readonly label: string;
  readonly help?: string;
  readonly type?: "text" | "date";
  readonly params: ListParams;
}

function TextFilter({ name, label, help, type = "text", params }: TextFilterProps) {
  const value = params.typed.get(name) ?? "";
  return (
    <div>
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type={type}
        dir="auto"
        value={type === "date" ? value.slice(0, 10) : value}
        {...(help === undefined ? {} : { placeholder: help })}
      />
    </div>
  );
}
