/** The parameters in the address of the list. They have the same names as in the API. */
import { toListQuery } from "../../gateway/list-query";
import type { ListQuery } from "../../gateway/owner-gateway";
import { sessionsQuery } from "../../protocol/owner-requests";

/** The filters that a person can use. */
const FILTERS = sessionsQuery.keyof().exclude(["limit", "cursor"]).options;
export type Filter = (typeof FILTERS)[number];

export interface ListParams {
  /** The filters as they were typed, without empty ones. */
  readonly typed: ReadonlyMap<Filter, string>;
  readonly cursor: string | null;
  readonly span: "day" | "month";
  /** Null if a filter is not valid; `problem` then says why. */
  readonly query: ListQuery | null;
  readonly problem: string | null;
}

export function parseListParams(params: URLSearchParams): ListParams {
  const typed = new Map<Filter, string>();
  for (const name of FILTERS) {
    const values = params.getAll(name).filter((text) => text !== "");
    if (values.length > 0) typed.set(name, values.join(","));
  }
  const cursor = params.get("cursor") || null;
  const input = { ...Object.fromEntries(typed), ...(cursor === null ? {} : { cursor }) };
  const parsed = sessionsQuery.safeParse(input);
  const [issue] = parsed.success ? [] : parsed.error.issues;
  const span = params.get("span") === "month" ? "month" : "day";
  return {
    typed,
    cursor,
    span,
    query: parsed.success ? toListQuery(parsed.data) : null,
    problem: issue === undefined ? null : `${issue.path.join(".")} ${issue.message}`,
  };
}

/** The address of the list with these filters and changes. */
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
