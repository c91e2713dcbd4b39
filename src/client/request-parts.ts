/** What every request carries, what answers carry, and when one is a refusal. */
import { refusalOf, type Problem } from "./errors";
import type { WireAnswer } from "./transport";

export interface Shown {
  readonly id: string;
  readonly title: string | null;
  readonly state: string;
}

export interface Carried {
  readonly session: Shown;
  readonly resumeToken: string;
  readonly child: Shown | null;
  readonly childToken: string;
  readonly prompt: string;
}

export interface ReadOptions {
  readonly method?: "GET" | "POST";
  readonly body?: unknown;
  readonly extraTimeMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export const JSON_TYPE = "application/json";

export const headersFor = (token: string | null, type: string | null): Record<string, string> => ({
  Accept: JSON_TYPE,
  ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
  ...(type === null ? {} : { "Content-Type": type }),
});

/** `url`: the server's address, where a refusal may mean that it is wrong. */
export function accepted(answer: WireAnswer, url?: string): WireAnswer {
  if (answer.isOk) return answer;
  throw refusalOf(answer.body as Problem, url);
}
