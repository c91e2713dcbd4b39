/** Headers of requests, members of responses, and the check whether a response is a refusal. */
import { errorFromProblem, type Problem } from "./errors";
import type { WireAnswer } from "./transport";

export interface SessionSummary {
  readonly id: string;
  readonly title: string | null;
  readonly state: string;
}

export interface ResponseBody {
  readonly session: SessionSummary;
  readonly resumeToken: string;
  readonly child: SessionSummary | null;
  readonly childToken: string;
  readonly prompt: string;
}

export interface ReadOptions {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly body?: unknown;
  /** An Idempotency-Key, for a request that changes something and is not saved. */
  readonly key?: string;
  /** The lease that the request names. */
  readonly lease?: string;
  readonly extraTimeMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export const JSON_TYPE = "application/json";

export const headersFor = (token: string | null, type: string | null): Record<string, string> => ({
  Accept: JSON_TYPE,
  ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
  ...(type === null ? {} : { "Content-Type": type }),
});

/**
 * Throws if the response is a refusal. `url` is the server's address, for refusals that may mean a
 * wrong address.
 */
export function requireSuccess(answer: WireAnswer, url?: string): WireAnswer {
  if (answer.isOk) return answer;
  throw errorFromProblem(answer.body as Problem, url);
}
