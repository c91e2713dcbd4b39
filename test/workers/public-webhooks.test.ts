/** Deliveries to public addresses, which use the platform's own `fetch`. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { TestAgent } from "../support/test-agent";
import { client } from "../support/worker";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a webhook to a public address", () => {
  it("is delivered by the platform's fetch, which must not be called as a method of anything", async () => {
    const posted: string[] = [];
    vi.spyOn(globalThis, "fetch").mockImplementation(async function (this: unknown, input) {
      // The platform's own error for any other call.
      if (this !== undefined && this !== globalThis) throw new TypeError("Illegal invocation");
      posted.push(String(input instanceof Request ? input.url : input));
      return new Response(null, { status: 204 });
    });
    const owner = await TestAgent.create(client);
    const url = "https://hooks.example/public";
    const { body } = await owner.call("POST", "/endpoints", {
      url,
      notices: ["session.submitted"],
    });
    await owner.call("POST", "/submit", {});
    const path = `/endpoints/${body.endpoint.id}/deliveries`;
    await expect
      .poll(async () => (await owner.call("GET", path)).body.deliveries[0]?.status)
      .toBe("delivered");
    expect(posted).toEqual([url]);
  });
});
