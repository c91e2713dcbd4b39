/**
 * Attacks on identities: tokens that are nearly right, malicious providers, removed keys, and people who
 * fill under one identity and approve under another. Baton accepts signed tokens and redirects nobody to
 * a provider, so there is no code, state, nonce or redirect to attack.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { encodeBase64url } from "../../src/domain/base64url";
import { LIMITS } from "../../src/domain/limits";
import type { Client } from "../support/client";
import { TestAgent } from "../support/test-agent";
import { sendFrom } from "../support/caller";
import {
  approve,
  callerWith,
  expectOwnWorkRefused,
  IDENTITY_HEADER,
  oidcOf,
  createReviewers,
  createSubmittedSession,
} from "../support/oidc-reviewers";
import { RawMcp } from "../support/mcp";
import { AUDIENCE, Provider, signer, text, type Signer } from "../support/signed-identity";

let provider: Provider;
/** The provider's response if the provider itself is attacked. */
let override: ((url: string) => Response | null) | null = null;

beforeEach(async () => {
  provider = new Provider();
  provider.keys = [await signer("ES256", "first")];
  override = null;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const url = String(input instanceof Request ? input.url : input);
    return override?.(url) ?? provider.answer(url);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const clientAs = (token: string | null): Client => callerWith(provider, token);
const person = async (sub: string): Promise<Client> => clientAs(await provider.token({ sub }));
const create = async (token: string): Promise<number> =>
  (await clientAs(token).call("POST", "/sessions", { body: {} })).status;
const now = (): number => Math.floor(Date.now() / 1000);
const later = (ms: number): void => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
};

async function hmac(key: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const bytes = new TextEncoder().encode(key);
  const imported = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  const claims = { iss: provider.issuer, aud: AUDIENCE, sub: "eve", exp: now() + 300 };
  const data = `${text({ alg: "HS256", kid: "shared" })}.${text(claims)}`;
  const mark = await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(data));
  return `${data}.${encodeBase64url(new Uint8Array(mark))}`;
}

/** Signed by the attacker, whose header also names the key. */
async function ownKey(header: (own: Signer) => object): Promise<string> {
  const own = await signer("ES256", "evil");
  return provider.token({ sub: "eve" }, { by: own, header: header(own) });
}

describe("a token that is nearly right", () => {
  const NEARLY: readonly (readonly [string, () => Promise<string>])[] = [
    ["another spelling of the issuer", () => provider.token({ iss: `${provider.issuer}/` })],
    ["upper case in the issuer", () => provider.token({ iss: provider.issuer.toUpperCase() })],
    ["an audience with the same prefix", () => provider.token({ aud: `${AUDIENCE}-staging` })],
    ["an audience in a list in a list", () => provider.token({ aud: [[AUDIENCE]] })],
    ["an audience as a member", () => provider.token({ aud: { [AUDIENCE]: true } })],
    ["no audience", () => provider.token({ aud: undefined })],
    ["an expiry as text", () => provider.token({ exp: String(now() + 300) })],
    ["an expiry in the distant past", () => provider.token({ exp: 1 })],
    ["a start time as text", () => provider.token({ nbf: "0" })],
    ["a subject that is a number", () => provider.token({ sub: 7 })],
    ["a subject that is too long", () => provider.token({ sub: "a".repeat(256) })],
    ["a list of algorithms", () => provider.token({}, { header: { alg: ["ES256"] } })],
    ["an algorithm in lower case", () => provider.token({}, { header: { alg: "es256" } })],
    ["none in upper case", async () => `${text({ alg: "NONE" })}.${text({})}.`],
    ["a key inside the token", () => ownKey(({ jwk }) => ({ jwk }))],
    ["a key at a URL of the token", () => ownKey(() => ({ jku: "https://evil.example/k" }))],
    ["a certificate of the token", () => ownKey(() => ({ x5u: "https://evil.example/c" }))],
    ["another key under the listed id", () => ownKey(() => ({ kid: "first" }))],
    ["a list as key id", () => provider.token({}, { header: { kid: ["first"] } })],
    ["a fourth part", async () => `${await provider.token()}.e30`],
    ["padding", async () => `${await provider.token()}=`],
    [
      "two tokens in one header",
      async () => `${await provider.token()}, ${await provider.token()}`,
    ],
    ["no signature", async () => (await provider.token()).replace(/[^.]+$/, "")],
    ["a shared secret", () => hmac("shared secret")],
  ];

  // Shows ID-1.
  it.each(NEARLY)("is refused: %s", async (_, token) => {
    const shared = { kty: "oct", kid: "shared", k: text("x"), alg: "HS256" };
    provider.keys.push({ ...(await signer("ES256", "shared")), jwk: shared });
    expect(await create(await token())).toBe(403);
    expect(await create(await provider.token())).toBe(201);
  });
});

describe("a provider", () => {
  // Shows ID-1.
  it.each([
    ["names another issuer", () => Response.json({ issuer: "https://evil.example", jwks_uri: "" })],
    ["redirects to another site", () => Response.redirect("https://evil.example/", 302)],
    [
      "has its keys behind plain http",
      () => Response.json({ issuer: provider.issuer, jwks_uri: "http://evil.example/keys" }),
    ],
    ["answers no JSON", () => new Response("<html>")],
    ["is down", () => new Response("", { status: 503 })],
    // Shows ID-1.
  ])("is not trusted if it %s", async (_, answer) => {
    override = (url) => (url.includes("well-known") ? answer() : null);
    expect(await create(await provider.token())).toBe(403);
  });

  // Shows ID-1.
  it("is requested once for many unknown keys at the same time", async () => {
    expect(await create(await provider.token())).toBe(201);
    later(31_000);
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, n) => provider.token({}, { header: { kid: `made-up-${n}` } })),
    );
    const answers = await Promise.all(tokens.map(create));
    expect(new Set(answers)).toEqual(new Set([403]));
    expect(provider.requestCount).toBe(4);
    expect(await create(await provider.token())).toBe(201);
  });

  // Shows ID-1.
  it("can remove a key, which is accepted for at most ten more minutes", async () => {
    const old = await provider.token({ exp: now() + 7_200 });
    expect(await create(old)).toBe(201);
    provider.keys = [await signer("ES256", "second")];
    later(9 * 60_000);
    expect(await create(old)).toBe(201);
    later(2 * 60_000);
    expect(await create(old)).toBe(403);
    expect(await create(await provider.token())).toBe(201);
  });

  // Shows ID-1.
  it("that does not answer has its keys trusted for a day, and no longer", async () => {
    const token = await provider.token({ exp: now() + 7 * 86_400 });
    expect(await create(token)).toBe(201);
    override = () => new Response("", { status: 503 });
    for (let hours = 0; hours < 23; hours += 1) later(3_600_000);
    expect(await create(token)).toBe(201);
    later(2 * 3_600_000);
    expect(await create(token)).toBe(403);
    override = null;
    later(31_000);
    expect(await create(token)).toBe(201);
  });
});

const REVIEW = { required: true, approvals: 1 };

describe("a person who fills under another identity", () => {
  const FILL_METHODS: readonly (readonly [
    string,
    (owner: TestAgent, ada: Client) => Promise<void>,
  ])[] = [
    [
      "by a tool of MCP",
      async (owner) => {
        const headers = { [IDENTITY_HEADER]: await provider.token({ sub: "ada" }) };
        const mcp = new RawMcp(sendFrom(headers, oidcOf(provider)), "http://localhost");
        const done = await mcp.call("set_fields", { resume_token: owner.token, fields: { a: 2 } });
        expect(done.isError, done.text).toBe(false);
        owner.token = done.facts.resume_token;
      },
    ],
    [
      "by a file",
      async (owner, ada) => {
        const filler = new TestAgent(ada, owner);
        await filler.call("POST", "/uploads", { name: "a.txt", type: "text/plain", size: 1 });
        await filler.call("DELETE", "/uploads/upl_1");
        owner.token = filler.token;
      },
    ],
    [
      "by restoring a checkpoint",
      async (owner, ada) => {
        await owner.call("POST", "/checkpoints", { name: "one" });
        const filler = new TestAgent(ada, owner);
        await filler.call("POST", "/checkpoints/chk_1/restore", {});
        owner.token = filler.token;
      },
    ],
    [
      "by a participant who is then revoked, and by one of theirs",
      async (owner, ada) => {
        const scopes = ["view", "fill", "handoff"];
        const handedOff = await owner.call("POST", "/handoffs", { to: "agent", scopes });
        const first = new TestAgent(ada, { id: owner.id, token: handedOff.body.participantToken });
        await first.call("POST", "/resume", {});
        const second = await first.call("POST", "/handoffs", { to: "agent", scopes: ["fill"] });
        const filler = new TestAgent(ada, { id: owner.id, token: second.body.participantToken });
        await filler.call("POST", "/resume", {});
        await filler.call("PATCH", "", { fields: { a: 3 } });
        await owner.call("DELETE", `/handoffs/${handedOff.body.handoff.id}`);
        const { version } = await owner.session();
        await owner.call("POST", "/resume", { lastEventSeq: version });
      },
    ],
    [
      "by submitting alone",
      async (owner, ada) => {
        const filler = new TestAgent(ada, owner);
        await filler.call("POST", "/submit", {});
        owner.token = filler.token;
      },
    ],
  ];

  // Shows ID-4.
  it.each(FILL_METHODS)("cannot approve: %s", async (fillIn, fill) => {
    const ada = await person("ada");
    const owner = await TestAgent.create(clientAs(null), { review: REVIEW, fields: { a: 1 } });
    const [first = "", second = ""] = await createReviewers(owner, 2);
    await fill(owner, ada);
    if (!fillIn.includes("submitting")) await owner.call("POST", "/submit", {});
    await expectOwnWorkRefused(ada, owner.id, first);
    const done = await approve(await person("bob"), owner.id, second);
    expect(done.body.session?.state, done.text).toBe("approved");
  });

  // Shows ID-2.
  it("cannot approve without an identity if the review requires one", async () => {
    const review = { ...REVIEW, identity: true };
    const { owner, tokens } = await createSubmittedSession(await person("ada"), 3, review);
    const [first = "", second = "", third = ""] = tokens;
    await expectOwnWorkRefused(clientAs(null), owner.id, first);
    await expectOwnWorkRefused(await person("ada"), owner.id, second);
    expect((await approve(await person("bob"), owner.id, third)).status).toBe(200);
  });
});

/** A session with as many fillers as it can have. */
async function createWithAllFillers(): Promise<TestAgent> {
  const owner = await TestAgent.create(await person("person-1"), {
    review: REVIEW,
    fields: { a: 0 },
  });
  for (let number = 2; number <= LIMITS.fillers; number++) {
    const filler = new TestAgent(await person(`person-${number}`), owner);
    await filler.call("PATCH", "", { fields: { a: number } });
    owner.token = filler.token;
  }
  return owner;
}

describe("the last allowed filler", () => {
  // Shows ID-5.
  it("cannot be followed by another, in any way, and nothing is written", async () => {
    const owner = await createWithAllFillers();
    const many = new TestAgent(await person("one more"), owner);
    const { head } = await owner.session();
    const tries: readonly (readonly ["PATCH" | "POST", string, object])[] = [
      ["PATCH", "", { fields: { a: 1 } }],
      ["POST", "/uploads", { name: "a.txt", type: "text/plain", size: 1 }],
      ["POST", "/submit", {}],
      ["POST", "/fork", { reason: "x" }],
    ];
    for (const [method, path, sent] of tries) {
      const answer = await many.tryCall(method, path, sent);
      expect([path, answer.status, answer.body.limit]).toEqual([path, 413, LIMITS.fillers]);
    }
    expect((await owner.session()).head).toBe(head);
    // A caller without an identity and a known filler still can.
    await owner.call("PATCH", "", { fields: { a: 1 } });
    const [first = "", last = "", next = ""] = await createReviewers(owner, 3);
    await owner.call("POST", "/submit", {});
    await expectOwnWorkRefused(await person("person-1"), owner.id, first);
    await expectOwnWorkRefused(await person(`person-${LIMITS.fillers}`), owner.id, last);
    expect((await approve(await person("one more"), owner.id, next)).status).toBe(200);
  });
});
