import { assert, boolean, integer, ipV4, ipV6, option, property, stringMatching } from "fast-check";
import { describe, expect, it } from "vitest";
import { isPrefix, parseAddress } from "../../src/domain/participants/network";
import { NETWORK_PATTERN } from "../../src/protocol/request-parts";

const PATTERN = new RegExp(NETWORK_PATTERN);

/** An IPv4 address in the spelling of IPv6, which has at most 32 bits. */
const isMapped = (text: string): boolean =>
  text.includes(":") && parseAddress(text.split("/")[0] ?? "")?.length === 4;

describe("a network as the API description writes it", () => {
  it("is accepted", () => {
    assert(
      property(stringMatching(PATTERN), (text) => isPrefix(text) || isMapped(text)),
      { numRuns: 300 },
    );
  });

  it("can be any IPv4 or IPv6 address in groups, with or without its leading bits", () => {
    const bits = option(integer({ min: 1, max: 32 }), { nil: undefined });
    assert(
      property(boolean(), ipV4(), ipV6(), bits, (isNew, four, six, length) => {
        const inGroups = isNew && !six.includes(".");
        const text = `${inGroups ? six : four}${length === undefined ? "" : `/${length}`}`;
        expect(PATTERN.test(text), text).toBe(isPrefix(text));
        expect(isPrefix(text), text).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    "",
    "somewhere",
    "1.2.3",
    "256.1.1.1",
    "1.2.3.4/0",
    "1.2.3.4/33",
    "1.2.3.4/",
    "1:2:3",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7::8",
    "::1::",
    "2001:db8::/0",
    "2001:db8::/129",
    "12345::",
    " 1.2.3.4",
  ])("is not %j, which is refused", (text) => {
    expect([PATTERN.test(text), isPrefix(text)]).toEqual([false, false]);
  });
});
