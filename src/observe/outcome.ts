/** How a request ended, in one word, whatever face it came to. */
export type Outcome = "ok" | "replayed" | "fresh" | "conflict" | "refused" | "failed";

/** Somebody else was first: the caller looks again and repeats. */
const CONFLICTS: ReadonlySet<string> = new Set([
  "version_conflict",
  "precondition_failed",
  "token_superseded",
]);

const RESUME = "/sessions/{ref}/resume";

export function outcomeOf(
  { status, headers }: Pick<Response, "status" | "headers">,
  code: string | undefined,
  route: string,
): Outcome {
  if (code !== undefined && CONFLICTS.has(code)) return "conflict";
  if (status >= 500 || code === "internal" || code === "overloaded") return "failed";
  if (status >= 400 || code !== undefined) return "refused";
  if (route === RESUME && status === 201) return "fresh";
  return headers.get("Idempotent-Replayed") === "true" ? "replayed" : "ok";
}
