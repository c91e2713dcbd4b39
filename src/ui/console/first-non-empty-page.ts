/**
 * The first page that shows something. A page can be empty although older sessions match, because what one
 * page looks at is bounded; a person should rarely have to ask for the next one.
 */
import type { ListQuery, OwnerGateway } from "../../gateway/owner-gateway";

/** Each of them is bounded, so all of them are. */
const MAX_EMPTY_PAGES = 8;

type ListReply = Awaited<ReturnType<OwnerGateway["list"]>>;

export async function firstNonEmptyPage(
  query: ListQuery,
  list: (query: ListQuery) => Promise<ListReply>,
): Promise<ListReply> {
  let page = await list(query);
  for (let pages = 1; pages < MAX_EMPTY_PAGES && page.ok; pages += 1) {
    const { sessions, nextCursor } = page.value;
    if (sessions.length > 0 || nextCursor === null) break;
    page = await list({ ...query, cursor: nextCursor });
  }
  return page;
}
