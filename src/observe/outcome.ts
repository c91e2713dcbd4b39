/** The outcome of a request in one word, the same for all faces. */
export type Outcome = "ok" | "replayed" | "fresh" | "conflict" | "refused" | "failed";

/** Another write came first: the caller reads again and repeats. */
const CONFLICTS: ReadonlySet<string> = new Set([
  "version_conflict",
  "precondition_failed",
  "token_superseded",
]);
const FAILURES: ReadonlySet<string> = new Set(["internal", "overloaded"]);
export const RESUME_ROUTE = "/sessions/{ref}/resume";

export function outcomeOf(
  { status, headers }: Pick<Response, "status" | "headers">,
  code: string | undefined,
  route: string,
): Outcome {
  if (code !== undefined) return outcomeOfCode(code);
  if (status >= 400) return status >= 500 ? "failed" : "refused";
  if (route === RESUME_ROUTE && status === 201) return "fresh";
  return headers.get("Idempotent-Replayed") === "true" ? "replayed" : "ok";
}

export function outcomeOfCode(code: string | undefined): Outcome {
  if (code === undefined) return "ok";
  if (CONFLICTS.has(code)) return "conflict";
  return FAILURES.has(code) ? "failed" : "refused";
}
