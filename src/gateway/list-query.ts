/** A query of the wire as an owner's directory is asked: what is left out is null. */
import { LIMITS } from "../domain/limits";
import type { ListQuery } from "../object/directory-messages";
import type { SessionsQuery } from "../protocol/owner-requests";

export const toListQuery = (query: SessionsQuery): ListQuery => ({
  states: query.state ?? [],
  waiting: query.waiting ?? null,
  waitingLongerThanMs: query.waitingLongerThanMs ?? null,
  label: query.label ?? null,
  externalId: query.externalId ?? null,
  q: query.q ?? null,
  createdAfter: query.createdAfter ?? null,
  createdBefore: query.createdBefore ?? null,
  changedAfter: query.changedAfter ?? null,
  changedBefore: query.changedBefore ?? null,
  limit: query.limit ?? LIMITS.sessionsPageDefault,
  cursor: query.cursor ?? null,
});
