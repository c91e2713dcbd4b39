import { assert, ipV6, property } from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isPrivateAddress,
  isPrefix,
  isWithin,
  networkOf,
  parseAddress,
} from "../../../src/domain/participants/network";

describe("an address", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7/32"],
    ["::ffff:203.0.113.7", "203.0.113.7/32"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::1", "2001:db8:1:2::/64"],
    ["2001:db8::", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["64:ff9b::203.0.113.7", "64:ff9b:0:0::/64"],
  ])("%s belongs to the network %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
    expect(isWithin(address, network)).toBe(true);
  });

  it.each([
    "",
    "unknown",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "1.2.3.4:80",
    "1:2:3",
    "1:2:3:4:5:6:7:8:9",
    "::1::",
    ":::",
    "fe80::1%eth0",
    "12345::",
    "1.2.3.4::",
    "1:2:3:4:5:6:7::8",
    "[::1]",
  ])("is not %j", (text) => {
    expect(parseAddress(text)).toBeNull();
    expect(networkOf(text)).toBeNull();
    expect(isWithin(text, "0.0.0.0/1")).toBe(false);
  });

  it.each([
    ["127.8.8.8", true],
    ["::1", true],
    ["::ffff:10.1.2.3", true],
    ["172.31.255.255", true],
    ["172.32.0.0", false],
    ["192.168.0.1", true],
    ["100.64.0.1", true],
    ["169.254.1.1", true],
    ["fe80::1", true],
    ["fd12::1", true],
    ["203.0.113.7", false],
    ["2001:db8::1", false],
    ["unknown", false],
  ])("%s is in a private network: %s", (address, expected) => {
    expect(isPrivateAddress(address)).toBe(expected);
  });

  it("has one network however it is written", () => {
    assert(
      property(ipV6(), (address) => {
        const bytes = parseAddress(address);
        if (bytes?.length !== 16) return;
        const written = Array.from({ length: 8 }, (_, n) =>
          (((bytes[2 * n] ?? 0) << 8) | (bytes[2 * n + 1] ?? 0)).toString(16),
        ).join(":");
        expect(networkOf(written)).toBe(networkOf(address));
      }),
    );
  });
});

describe("a prefix", () => {
  it.each([
    ["203.0.113.0/24", "203.0.113.255", true],
    ["203.0.113.0/24", "203.0.114.0", false],
    ["203.0.113.7", "203.0.113.7", true],
    ["203.0.113.7", "203.0.113.8", false],
    ["203.0.113.129/25", "203.0.113.128", true],
    ["203.0.113.129/25", "203.0.113.127", false],
    ["128.0.0.0/1", "255.0.0.1", true],
    ["128.0.0.0/1", "127.0.0.1", false],
    ["2001:db8::/33", "2001:db8:7fff::1", true],
    ["2001:db8::/33", "2001:db8:8000::1", false],
    ["203.0.113.0/24", "::ffff:203.0.113.9", true],
    ["::/1", "1.2.3.4", false],
  ])("%s contains %s: %s", (prefix, address, expected) => {
    expect(isPrefix(prefix)).toBe(true);
    expect(isWithin(address, prefix)).toBe(expected);
  });

  it.each(["", "/24", "1.2.3.4/0", "1.2.3.4/33", "::/129", "1.2.3.4/", "1.2.3.4/8/8", "1.2.3.4/a"])(
    "is not %j",
    (text) => {
      expect(isPrefix(text)).toBe(false);
    },
  );
});
