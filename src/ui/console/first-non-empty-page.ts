/**
 * Finds the first page that is not empty. A page can be empty although older sessions match, because each
 * page searches a limited number of sessions. A person should rarely have to open the next one.
 */
import type { ListQuery, OwnerGateway } from "../../gateway/owner-gateway";

/** Each page is limited, so this limits the whole search. */
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
