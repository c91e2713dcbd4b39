import { afterEach, describe, expect, it, vi } from "vitest";
import { Baton } from "../../../src/client";

it.each([
  ["", '"" is not the address of a server'],
  ["localhost", '"localhost" is not the address of a server'],
  ["ftp://baton.example", "begins with http:// or https://, not ftp:"],
])("connecting to %j fails with what is wrong with the address", (url, problem) => {
  expect(() => Baton.connect(url)).toThrow(problem);
});

describe("a key", () => {
  afterEach(() => vi.unstubAllEnvs());
  const KEY = `bkey_${"k".repeat(43)}`;

  it.each(["secret", `Bearer ${KEY}`, "undefined", `${KEY}k`, ` ${KEY}`])(
    "of the wrong format is refused at once and not shown: %j",
    (key) => {
      const connect = () => Baton.connect("http://baton.example", { key });
      expect(connect).toThrow(TypeError);
      expect(connect).toThrow("`key` is not an owner's key");
      expect(connect).not.toThrow(key);
      vi.stubEnv("BATON_KEY", key);
      expect(() => Baton.connect("http://baton.example")).toThrow(
        "BATON_KEY is not an owner's key",
      );
    },
  );

  it("that is empty is refused as an option, and ignored in the environment", () => {
    expect(() => Baton.connect("http://baton.example", { key: "" })).toThrow("`key` is empty");
    vi.stubEnv("BATON_KEY", "");
    expect(Baton.connect("http://baton.example").hasKey).toBe(false);
    vi.stubEnv("BATON_KEY", KEY);
    expect(Baton.connect("http://baton.example").hasKey).toBe(true);
  });
});
