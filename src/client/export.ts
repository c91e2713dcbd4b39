/** Opens an export as a stream, because a log may be larger than memory. */
import { errorFromProblem, type Problem } from "./errors";
import type { CallOptions } from "./inputs";
import type { TokenLine } from "./token-line";

export async function openExport(
  tokenLine: TokenLine,
  { files = false, signal }: CallOptions & { readonly files?: boolean },
): Promise<ReadableStream<Uint8Array>> {
  const url = `${tokenLine.saved.url}/sessions/${tokenLine.ref}/export${files ? "?files=true" : ""}`;
  const headers = { Authorization: `Bearer ${tokenLine.token}` };
  const response = await tokenLine.config.fetch(url, { headers, ...(signal ? { signal } : {}) });
  if (response.ok && response.body !== null) return response.body as ReadableStream<Uint8Array>;
  throw errorFromProblem((await response.json()) as Problem);
}
