/** What a review asks for, without what has come of it. */
import type { Review } from "./session";

export const reviewRules = ({ required, approvals, identity }: Review) => ({
  required,
  approvals,
  ...(identity === true ? { identity } : {}),
});
