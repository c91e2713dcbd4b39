import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { encodeBase64url } from "../../src/domain/base64url";
import { LIMITS } from "../../src/domain/limits";
import type { Env } from "../../src/env";
import type { Client } from "../support/client";
import { TestAgent } from "../support/test-agent";
import { approve, callerWith, createSubmittedSession } from "../support/oidc-reviewers";
import { newKey, ownersText } from "../support/owners";
import {
  AUDIENCE,
  Provider,
  signer,
  text,
  type Alg,
  type Signer,
} from "../support/signed-identity";

let provider: Provider;

beforeEach(async () => {
  provider = new Provider();
  provider.keys = [await signer("ES256", "first")];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) =>
    provider.answer(String(input instanceof Request ? input.url : input)),
  );
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const clientAs = (token: string | null, settings: Partial<Env> = {}): Client =>
  callerWith(provider, token, settings);

const REVIEW = { required: true, approvals: 2, identity: true };

const now = (): number => Math.floor(Date.now() / 1000);

const addKey = async (alg: Alg): Promise<Signer> => {
  const key = await signer(alg, alg);
  provider.keys.push(key);
  return key;
};
const payloadOf = (token: string): string => token.split(".")[1] ?? "";

const create = (token: string) => clientAs(token).call("POST", "/sessions", { body: {} });

const withOtherClaims = (token: string): string => {
  const [head, , mark] = token.split(".");
  const claims = { iss: provider.issuer, aud: AUDIENCE, sub: "eve", exp: now() + 300 };
  return `${head}.${text(claims)}.${mark}`;
};
async function algorithmConfused(): Promise<string> {
  const secret = new TextEncoder().encode(JSON.stringify(provider.keys[0]?.jwk));
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
  const data = `${text({ alg: "HS256", kid: "first" })}.${payloadOf(await provider.token())}`;
  const mark = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(data));
  return `${data}.${encodeBase64url(new Uint8Array(mark))}`;
}

describe("an identity", () => {
  const CASES: readonly (readonly [string, () => Promise<string>, number])[] = [
    ["ES256", () => provider.token(), 200],
    ["several audiences", () => provider.token({ aud: ["x", AUDIENCE] }), 200],
    ["a clock that is half a minute off", () => provider.token({ exp: now() - 30 }), 200],
    ["RS256", async () => provider.token({}, { by: await addKey("RS256") }), 200],
    ["EdDSA", async () => provider.token({}, { by: await addKey("EdDSA") }), 200],
    ["expired", () => provider.token({ exp: now() - 120 }), 403],
    ["not yet", () => provider.token({ nbf: now() + 120 }), 403],
    ["without an expiry", () => provider.token({ exp: undefined }), 403],
    ["wrong audience", () => provider.token({ aud: "other" }), 403],
    ["wrong issuer", () => provider.token({ iss: "https://evil.example" }), 403],
    ["without a subject", () => provider.token({ sub: "" }), 403],
    ["none", async () => `${text({ alg: "none" })}.${payloadOf(await provider.token())}.`, 403],
    [
      "a key of its own",
      async () => provider.token({}, { by: await signer("ES256", "first") }),
      403,
    ],
    ["an unknown key id", async () => provider.token({}, { header: { kid: "nobody" } }), 403],
    ["HS256 over the public key", algorithmConfused, 403],
    [
      "another algorithm than the key's",
      () => provider.token({}, { header: { alg: "RS256" } }),
      403,
    ],
    ["an unknown critical extension", () => provider.token({}, { header: { crit: ["b64"] } }), 403],
    ["a changed claim", async () => withOtherClaims(await provider.token()), 403],
    ["no token at all", async () => "a.b.c", 403],
  ];

  // Shows ID-1.
  it.each(CASES)("accepts only a valid token: %s", async (_, token, status) => {
    const { owner, tokens } = await createSubmittedSession(clientAs(null), 1, REVIEW);
    const [reviewer = ""] = tokens;
    const answer = await approve(clientAs(await token()), owner.id, reviewer);
    expect(answer.status, answer.text).toBe(status);
    if (status === 403) expect(answer.body.code).toBe("scope_denied");
  });

  // Shows ID-1.
  it("uses a new key of the provider, and fetches unknown ones at most every half minute", async () => {
    expect((await create(await provider.token())).status).toBe(201);
    expect(provider.requestCount).toBe(2);
    const rotated = await signer("ES256", "second");
    provider.keys = [rotated];
    const token = await provider.token();
    expect((await create(token)).status).toBe(403);
    expect(provider.requestCount).toBe(2);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 31_000 });
    expect((await create(token)).status).toBe(201);
    expect((await create(token)).status).toBe(201);
    expect(provider.requestCount).toBe(4);
  });

  // Shows ID-6.
  it("is fetched from the operator's own network if the issuer is there, and nothing else is", async () => {
    const requested: string[] = [];
    const network = {
      fetch: async (input: unknown) => {
        requested.push(String(input));
        return provider.answer(String(input));
      },
    } as unknown as NonNullable<Env["PRIVATE_NETWORK"]>;
    const within = clientAs(await provider.token(), { PRIVATE_NETWORK: network });
    expect((await within.call("POST", "/sessions", { body: {} })).status).toBe(201);
    expect(requested).toEqual([
      `${provider.issuer}/.well-known/openid-configuration`,
      `${provider.issuer}/keys`,
    ]);
    provider = new Provider();
    provider.keys = [await signer("ES256", "first")];
    provider.keysAt = "https://elsewhere.example/keys";
    const otherNetwork = clientAs(await provider.token(), { PRIVATE_NETWORK: network });
    expect((await otherNetwork.call("POST", "/sessions", { body: {} })).status).toBe(201);
    expect(requested.slice(2)).toEqual([`${provider.issuer}/.well-known/openid-configuration`]);
  });

  // Shows ID-2.
  it("is recorded in the approval, its event and the receipt; the token is recorded nowhere", async () => {
    const { owner, tokens } = await createSubmittedSession(clientAs(null), 1, REVIEW);
    const token = await provider.token();
    const approved = await approve(clientAs(token), owner.id, tokens[0] ?? "");
    const identity = { issuer: provider.issuer, subject: "ada" };
    expect(approved.body.session.review.approvedBy).toMatchObject([{ identity }]);
    const [event] = await owner.events("&type=review.approved");
    expect(event?.payload.identity).toEqual(identity);
    const { receipt } = (await owner.call("GET", "/receipt")).body;
    expect(receipt.approvals.given).toMatchObject([{ identity }]);
    const { text: exported } = await owner.call("GET", "/export");
    expect(exported).not.toContain(token.split(".")[2]);
  });

  // Shows ID-3.
  it("is required of reviewers if the review says so", async () => {
    const { owner, tokens } = await createSubmittedSession(clientAs(null), 1, REVIEW);
    const refused = await approve(clientAs(null), owner.id, tokens[0] ?? "");
    expect(refused.status).toBe(403);
    expect(refused.body.detail).toContain("signed in");
    const without = clientAs(null, { OIDC: "" });
    const none = await without.call("POST", "/sessions", { body: { review: REVIEW } });
    expect(none.body.code).toBe("not_configured");
  });

  // Shows ID-3.
  it("is required by a template for every session created from it, and for its forks", async () => {
    const key = newKey();
    const settings = { OWNERS: ownersText({ [`owner-${crypto.randomUUID()}`]: [key] }) };
    const headers = { "Baton-Key": key };
    const by = clientAs(null, settings);
    const review = { required: true, approvals: 1, identity: true };
    const put = await by.call("PUT", "/templates/claim", { headers, body: { review } });
    expect(put.status, put.text).toBe(201);
    const created = await by.call("POST", "/sessions", { headers, body: { template: "claim" } });
    const owner = new TestAgent(by, {
      id: created.body.session.id,
      token: created.body.resumeToken,
    });
    const forked = await owner.call("POST", "/fork", { reason: "again" });
    const child = new TestAgent(by, { id: forked.body.child.id, token: forked.body.childToken });
    for (const agent of [owner, child]) {
      const handedOff = await agent.call("POST", "/handoffs", { to: "agent", scopes: ["review"] });
      await agent.call("POST", "/submit", {});
      const token: string = handedOff.body.participantToken;
      const resumed = await new TestAgent(by, { id: agent.id, token }).call("POST", "/resume", {});
      const next = { id: agent.id, token: resumed.body.resumeToken };
      const refused = await new TestAgent(by, next).tryCall("POST", "/approve", {});
      expect([refused.status, refused.body.code]).toEqual([403, "scope_denied"]);
      const ada = clientAs(await provider.token(), settings);
      expect((await new TestAgent(ada, next).tryCall("POST", "/approve", {})).status).toBe(200);
    }
  });
});

describe("one person", () => {
  // Shows ID-4.
  it("cannot approve twice with two participants, nor approve what they filled", async () => {
    const ada = clientAs(await provider.token({ sub: "ada" }));
    const bob = clientAs(await provider.token({ sub: "bob" }));
    const cy = clientAs(await provider.token({ sub: "cy" }));
    const { owner, tokens } = await createSubmittedSession(ada, 4, {
      required: true,
      approvals: 2,
    });
    const [first = "", second = "", third = "", fourth = ""] = tokens;
    const own = await approve(ada, owner.id, first);
    expect(own.body).toMatchObject({ code: "scope_denied" });
    expect((await approve(bob, owner.id, second)).status).toBe(200);
    const twice = await approve(bob, owner.id, third);
    expect(twice.body).toMatchObject({ code: "illegal_transition" });
    const done = await approve(cy, owner.id, fourth);
    expect(done.body.session.state).toBe("approved");
  });

  // Shows ID-4.
  it("cannot approve in a fork what they filled before it, nor what they forked", async () => {
    const ada = clientAs(await provider.token({ sub: "ada" }));
    const bob = clientAs(await provider.token({ sub: "bob" }));
    const cy = clientAs(await provider.token({ sub: "cy" }));
    const owner = await TestAgent.create(ada, { review: { required: true, approvals: 1 } });
    await owner.call("PATCH", "", { fields: { a: 1 } });
    const forked = await new TestAgent(bob, owner).call("POST", "/fork", { reason: "again" });
    const child = { id: forked.body.child.id, token: forked.body.childToken };
    // Twice, because a fork of a fork must remember it too.
    const second = await new TestAgent(bob, child).call("POST", "/fork", { reason: "once more" });
    const last = new TestAgent(clientAs(null), {
      id: second.body.child.id,
      token: second.body.childToken,
    });
    const tokens: string[] = [];
    for (let n = 0; n < 3; n++) {
      const handedOff = await last.call("POST", "/handoffs", { to: "agent", scopes: ["review"] });
      tokens.push(handedOff.body.participantToken);
    }
    await last.call("POST", "/submit", {});
    for (const [index, subject] of [ada, bob].entries()) {
      const own = await approve(subject, last.id, tokens[index] ?? "");
      expect(own.body).toMatchObject({ code: "scope_denied" });
    }
    const done = await approve(cy, last.id, tokens[2] ?? "");
    expect(done.body.session.state).toBe("approved");
  });

  // Shows ID-5.
  it("is remembered among all fillers, and one more filler is refused", async () => {
    const review = { required: true, approvals: 1 };
    const first = clientAs(await provider.token({ sub: "person-1" }));
    const owner = await TestAgent.create(first, { review, fields: { a: 0 } });
    const handedOff = await owner.call("POST", "/handoffs", { to: "agent", scopes: ["review"] });
    const as = async (number: number): Promise<TestAgent> =>
      new TestAgent(clientAs(await provider.token({ sub: `person-${number}` })), owner);
    for (let number = 2; number <= LIMITS.fillers; number++) {
      const filler = await as(number);
      await filler.call("PATCH", "", { fields: { a: number } });
      owner.token = filler.token;
    }
    const many = await as(LIMITS.fillers + 1);
    const refused = await many.tryCall("PATCH", "", { fields: { a: "one more" } });
    expect([refused.status, refused.body.limit]).toEqual([413, LIMITS.fillers]);
    const forked = await many.tryCall("POST", "/fork", { reason: "x" });
    expect([forked.status, forked.body.limit]).toEqual([413, LIMITS.fillers]);
    // A known filler may continue, and the first one still cannot approve.
    await owner.call("POST", "/submit", {});
    const own = await approve(first, owner.id, handedOff.body.participantToken);
    expect(own.body).toMatchObject({ code: "scope_denied" });
  });
});
