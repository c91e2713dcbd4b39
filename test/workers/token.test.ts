import { describe, expect, it } from "vitest";
import { client, rowsWrittenBy } from "../support/worker";

describe("a line of tokens", () => {
  it("gives the next token and ETag with every write and tells older ones that they are spent", async () => {
    const session = await client.begin({ title: "Line" });
    const tokens = [session.token];
    for (const [method, path, body] of [
      ["PATCH", "", { fields: { a: 1 } }],
      ["PATCH", "", { fields: { b: 2 } }],
      ["POST", "/submit", {}],
    ] as const) {
      const answer = await client.on(session, method, path, { token: tokens.at(-1)!, body });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.headers.get("Resume-Token")).toBe(answer.body.resumeToken);
      expect(answer.headers.get("ETag")).toBe(
        `"${answer.body.session.version}.${answer.body.session.head}"`,
      );
      tokens.push(answer.body.resumeToken);
    }
    for (const spent of tokens.slice(0, -1)) {
      const refused = await client.on(session, "POST", "/finalize", { token: spent, body: {} });
      expect(refused.status).toBe(409);
      expect(refused.body.code).toBe("token_superseded");
      expect(refused.body.current.state).toBe("submitted");
      expect(refused.text).not.toContain("rtok_");
    }
  });

  it("costs at most three rows", async () => {
    const session = await client.begin();
    const rows = await rowsWrittenBy(session, () =>
      client.on(session, "PATCH", "", { token: session.token, body: { fields: { a: 1 } } }),
    );
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThanOrEqual(3);
  });
});
