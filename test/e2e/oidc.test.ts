/** A self-hosted server with an OpenID provider on a private address, as in many companies. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client } from "../support/client.ts";
import { TestAgent } from "../support/test-agent.ts";
import { OpenIdProvider } from "../support/openid-provider.ts";
import { startServer, temporaryFolder, type Server } from "../support/server.ts";

const HEADER = "X-Identity-Token";
const data = temporaryFolder();
let provider: OpenIdProvider;
let server: Server;

beforeAll(async () => {
  provider = await OpenIdProvider.start();
  const setting = { issuer: provider.issuer, audience: "baton", header: HEADER };
  server = await startServer(data.path, undefined, { OIDC: JSON.stringify(setting) });
});
afterAll(async () => {
  await server.stop();
  provider.close();
  data[Symbol.dispose]();
});

const clientOf = (token: string): Client =>
  new Client((request) => {
    request.headers.set(HEADER, token);
    return fetch(request);
  }, server.url);

const REVIEWED_SESSION = {
  review: { required: true, approvals: 1, identity: true },
  fields: { a: 1 },
};

async function createSubmittedSession(by: Client, reviewers: number) {
  const owner = await TestAgent.create(by, REVIEWED_SESSION);
  const tokens: string[] = [];
  for (let count = 0; count < reviewers; count++) {
    const handoff = await owner.call("POST", "/handoffs", { to: "agent", scopes: ["review"] });
    tokens.push(handoff.body.participantToken);
  }
  await owner.call("POST", "/submit", {});
  return { owner, tokens };
}

async function approve(by: Client, id: string, token = "") {
  const { body } = await server.client.on({ id }, "POST", "/resume", { token, body: {} });
  return new TestAgent(by, { id, token: body.resumeToken }).tryCall("POST", "/approve", {});
}

describe("an OpenID provider on a private address", () => {
  // Shows ID-6.
  it("provides its keys, and only valid tokens of other people approve", async () => {
    const { owner, tokens } = await createSubmittedSession(
      clientOf(provider.token({ sub: "ada" })),
      5,
    );
    const bob = provider.token({ sub: "bob" });
    const wrong = [
      provider.forgedToken({ sub: "bob" }),
      provider.token({ sub: "bob", aud: "another" }),
      provider.token({ sub: "bob", exp: 1 }),
      // The author of the fields, as another participant.
      provider.token({ sub: "ada" }),
    ];
    for (const [index, token] of wrong.entries()) {
      const refused = await approve(clientOf(token), owner.id, tokens[index]);
      expect([refused.status, refused.body.code]).toEqual([403, "scope_denied"]);
    }
    const approved = await approve(clientOf(bob), owner.id, tokens[4]);
    expect(approved.status, approved.text).toBe(200);
    expect(approved.body.session.review.approvedBy).toMatchObject([
      { identity: { issuer: provider.issuer, subject: "bob" } },
    ]);
    expect(provider.requestedPaths).toEqual(["/.well-known/openid-configuration", "/keys"]);
  });

  // Shows ID-6.
  it("opens its network to no address that a client names", async () => {
    const before = provider.requestedPaths.length;
    const agent = await TestAgent.create(server.client);
    const url = `${provider.issuer}/hook`;
    const refused = await agent.tryCall("POST", "/endpoints", {
      url,
      notices: ["session.submitted"],
    });
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_request"]);
    const named = `https://localhost:${new URL(provider.issuer).port}/hook`;
    await agent.tryCall("POST", "/endpoints", { url: named, notices: ["session.submitted"] });
    await agent.call("POST", "/submit", {});
    expect(provider.requestedPaths).toHaveLength(before);
  });
});
