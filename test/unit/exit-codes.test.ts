import { describe, expect, it } from "vitest";
import { EXIT, failureOf } from "../../src/cli/exit-codes.ts";
import { TransportError } from "../../src/client/errors.ts";

const unreachable = (code: string) => {
  const cause = new TypeError("fetch failed", { cause: Object.assign(new Error("no"), { code }) });
  return failureOf(new TransportError("no answer", 1, false, cause), null);
};

describe("a server that cannot be reached", () => {
  it.each(["SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE", "CERT_HAS_EXPIRED"])(
    "because of its certificate (%s) leads to the advice to trust it, not to start it",
    (code) => {
      const { exitCode, todo } = unreachable(code);
      expect(exitCode).toBe(EXIT.unreachable);
      expect(todo.join("\n")).toContain("NODE_EXTRA_CA_CERTS");
      expect(todo.join("\n")).not.toContain("npm start");
    },
  );

  it("because nothing listens leads to the advice to start it", () => {
    expect(unreachable("ECONNREFUSED").todo.join("\n")).toContain("npm start");
  });
});
