/** The filters of the list as they stand in its address: the names of the API, so that one can be made the other. */
import { toListQuery } from "../../gateway/list-query";
import type { ListQuery } from "../../gateway/owner-gateway";
import { sessionsQuery } from "../../protocol/owner-requests";

/** What a person may filter by. */
const FILTERS = sessionsQuery.keyof().exclude(["limit", "cursor"]).options;
export type Filter = (typeof FILTERS)[number];

export interface ListParams {
  /** As they were typed; what is empty is left out. */
  readonly typed: ReadonlyMap<Filter, string>;
  readonly cursor: string | null;
  readonly span: "day" | "month";
  /** Null where a filter cannot be used; `problem` then says why. */
  readonly query: ListQuery | null;
  readonly problem: string | null;
}

export function parseListParams(params: URLSearchParams): ListParams {
  const typed = new Map<Filter, string>();
  for (const name of FILTERS) {
    const given = params.getAll(name).filter((text) => text !== "");
    if (given.length > 0) typed.set(name, given.join(","));
  }
  const cursor = params.get("cursor") || null;
  const asked = { ...Object.fromEntries(typed), ...(cursor === null ? {} : { cursor }) };
  const read = sessionsQuery.safeParse(asked);
  const [issue] = read.success ? [] : read.error.issues;
  const span = params.get("span") === "month" ? "month" : "day";
  return {
    typed,
    cursor,
    span,
    query: read.success ? toListQuery(read.data) : null,
    problem: issue === undefined ? null : `${issue.path.join(".")} ${issue.message}`,
  };
}

/** The address of the list with these filters, and others in place of some of them. */
export function hrefOf(
  { typed, span }: Pick<ListParams, "typed" | "span">,
  changes: Readonly<Partial<Record<Filter | "cursor" | "span", string | null>>> = {},
): string {
  const all = { ...Object.fromEntries(typed), ...(span === "day" ? {} : { span }), ...changes };
  const query = new URLSearchParams(
    Object.entries(all).flatMap(([name, text]) => (text == null ? [] : [[name, text]])),
  ).toString();
  return query === "" ? "/console" : `/console?${query}`;
}
