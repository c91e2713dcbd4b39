/** A query of the wire as an owner's directory is asked: what is left out is not asked for. */
import { LIMITS } from "../domain/limits";
import type { ListQuery } from "../object/directory-messages";
import type { SessionsQuery } from "../protocol/owner-requests";

export const toListQuery = ({
  state: states = [],
  limit = LIMITS.sessionsPageDefault,
  ...rest
}: SessionsQuery): ListQuery => ({ states, limit, ...rest });
