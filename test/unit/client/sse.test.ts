import { assert, integer, property, uniqueArray } from "fast-check";
import { expect, it } from "vitest";
import { SseParser } from "../../../src/client/sse.ts";

const STREAM = `retry: 1000\n\n: keep-alive\r\n\r\nid: 7\nevent: a.b\ndata: {"x":"ä✓"}\n\nevent: end\rdata: 1\rdata: 2\r\r`;
const EXPECTED = [
  { id: "7", event: "a.b", data: `{"x":"ä✓"}` },
  { id: null, event: "end", data: "1\n2" },
];

it("reads the same events however the bytes are cut", () => {
  const bytes = new TextEncoder().encode(STREAM);
  assert(
    property(uniqueArray(integer({ min: 0, max: bytes.length })), (cuts) => {
      const parser = new SseParser();
      const offsets = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const pieces = offsets.slice(1).map((to, index) => bytes.subarray(offsets[index], to));
      // One more line, because a carriage return at the end may be half of a line's end.
      const events = [...pieces, new TextEncoder().encode("\n")].flatMap((one) => parser.push(one));
      expect(events).toEqual(EXPECTED);
    }),
  );
});
