import { describe, expect, it } from "vitest";
import { TestAgent } from "../support/test-agent";
import { createLinkedSession, person } from "../support/links";
import { client } from "../support/worker";

const SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string", title: "Name" },
    ssn: { type: "string", title: "Insurance number", "x-baton": { private: true } },
  },
  required: ["ssn"],
};
const SSN = "CANARY-4711-0815";

describe("the page of a person", () => {
  // Shows PV-3.
  it("shows and fills a private value, and nobody else can read it", async () => {
    const { session, token, code } = await createLinkedSession(
      {},
      { schema: SCHEMA, fields: { ssn: SSN } },
    );
    const linkHolder = person();
    await linkHolder.open(code);
    const page = await linkHolder.go("GET", `/h/${code}`);
    expect(page.html).toContain(SSN);
    expect(page.html).toContain("only those who work on this with you can see it");
    expect(page.html).not.toContain("not shown here");
    await linkHolder.press(code, page.html, "save", { "f/ssn": "OTHER-99" });
    const read = await client.on(session, "GET", "/private/ssn", { token });
    expect(read.body.private.value).toBe("OTHER-99");
    const agent = new TestAgent(client, { id: session.id, token });
    expect((await agent.call("GET", "/export")).text).not.toMatch(/OTHER-99|CANARY/);
  });

  // Shows PV-3.
  it("does not show it if the link neither asks nor shows it", async () => {
    const { code } = await createLinkedSession(
      { ask: ["name"] },
      { schema: SCHEMA, fields: { ssn: SSN } },
    );
    const linkHolder = person();
    await linkHolder.open(code);
    expect((await linkHolder.go("GET", `/h/${code}`)).html).not.toContain(SSN);
  });

  it("shows that it is private to a person who may only view", async () => {
    const { code } = await createLinkedSession(
      { scopes: ["view"] },
      { schema: SCHEMA, fields: { ssn: SSN } },
    );
    const linkHolder = person();
    await linkHolder.open(code);
    const page = await linkHolder.go("GET", `/h/${code}`);
    expect(page.html).toContain("Private, not shown here");
    expect(page.html).not.toContain(SSN);
  });
});
