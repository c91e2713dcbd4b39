/** The rules of a review, without its progress. */
import type { Review } from "./session";

export const reviewRules = ({ required, approvals, identity }: Review) => ({
  required,
  approvals,
  ...(identity === true ? { identity } : {}),
});
