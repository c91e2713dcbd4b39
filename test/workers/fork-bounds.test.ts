/** What a fork must not cause: another file behind a field, or an unbounded prompt. */
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits";
import { TestAgent } from "../support/test-agent";
import { client } from "../support/worker";

const FILE = { type: "string", format: "file" };
const SCHEMA = { type: "object", properties: { contract: FILE, other: FILE } };

async function upload(agent: TestAgent, field: string, text: string): Promise<string> {
  const announced = { field, name: `${field}.txt`, type: "text/plain", size: text.length };
  const { id } = (await agent.call("POST", "/uploads", announced)).body.upload;
  await client.on(agent, "PUT", `/uploads/${id}`, {
    token: agent.token,
    body: text,
    headers: { "Content-Type": "text/plain", "Content-Length": String(text.length) },
  });
  await agent.call("POST", `/uploads/${id}/confirm`, {});
  return id;
}

async function forked(agent: TestAgent): Promise<TestAgent> {
  const { body } = await agent.call("POST", "/fork", { reason: "goes on" });
  return new TestAgent(client, { id: body.child.id, token: body.childToken });
}

describe("a fork", () => {
  // Shows U-7.
  it("never reuses the id of an inherited file for a file of its own, also in the next generation", async () => {
    const parent = await TestAgent.create(client, { schema: SCHEMA });
    await upload(parent, "other", "first");
    const contract = await upload(parent, "contract", "PAY 100");
    const child = await forked(parent);
    const own = await upload(child, "other", "PAY 9999");
    const grandchild = await forked(child);
    const next = await upload(grandchild, "other", "PAY 99999");

    expect(new Set([contract, own, next]).size).toBe(3);
    for (const agent of [child, grandchild]) {
      expect((await agent.session()).fields.contract).toBe(contract);
      expect((await agent.tryCall("GET", `/uploads/${contract}`)).status).toBe(404);
    }
    expect((await grandchild.tryCall("GET", `/uploads/${own}`)).status).toBe(404);
  });

  // Shows B-10.
  it("is refused before its prompt is built if that would be too long, and changes nothing", async () => {
    const agent = await TestAgent.create(client, { nextStep: { body: "漢".repeat(65_000) } });
    const { token } = agent;
    const { head } = await agent.session();
    const template = "{context}".repeat(1_820);
    const refused = await agent.tryCall("POST", "/fork", { reason: "goes on", template });
    expect([refused.status, refused.body]).toMatchObject([
      413,
      { code: "too_large", limit: LIMITS.promptLength },
    ]);
    expect([agent.token, (await agent.session()).head]).toEqual([token, head]);
  });
});
