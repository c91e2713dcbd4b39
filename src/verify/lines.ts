/** Splits the chunks of a file into lines. Invalid UTF-8, and a last line without a line feed, are errors. */
import { VerificationError } from "./chain";

const LINE_FEED = 10;

export async function* linesOf(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<string> {
  let rest: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      yield decode([...rest, chunk.subarray(from, at)]);
      rest = [];
      from = at + 1;
    }
    if (from < chunk.length) rest.push(chunk.slice(from));
  }
  if (rest.length > 0) throw new VerificationError("the file does not end with the end of a line");
}

function decode(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
  } catch {
    throw new VerificationError("a line is not UTF-8");
  }
}
