/** An export on its way in: a stream, because a log may be larger than memory. */
import { refusalOf, type Problem } from "./errors";
import type { CallOptions } from "./inputs";
import type { Line } from "./line";

export async function openExport(
  line: Line,
  { files = false, signal }: CallOptions & { readonly files?: boolean },
): Promise<ReadableStream<Uint8Array>> {
  const url = `${line.saved.url}/sessions/${line.ref}/export${files ? "?files=true" : ""}`;
  const headers = { Authorization: `Bearer ${line.token}` };
  const response = await line.means.fetch(url, { headers, ...(signal ? { signal } : {}) });
  if (response.ok && response.body !== null) return response.body as ReadableStream<Uint8Array>;
  throw refusalOf((await response.json()) as Problem);
}
