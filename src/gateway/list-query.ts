/** Converts a query of the wire to one of the owner's directory, with the defaults. */
import { LIMITS } from "../domain/limits";
import type { ListQuery } from "../object/directory-messages";
import type { SessionsQuery } from "../protocol/owner-requests";

export const toListQuery = ({
  state: states = [],
  limit = LIMITS.sessionsPageDefault,
  ...rest
}: SessionsQuery): ListQuery => ({ states, limit, ...rest });
