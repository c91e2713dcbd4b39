/** Tokens that are bound to a network or a principal, for every way to become a participant. */
import { describe, expect, it } from "vitest";
import { createOwner, bindOwners } from "../support/test-owner";
import type { Env } from "../../src/env";
import { randomKey, type Answer, type CreatedSession, type Client } from "../support/client";
import { callerFrom, publicAddress, sendFrom } from "../support/caller";
import { greetArcp } from "../support/greet-arcp";
import { RawMcp } from "../support/mcp";
import { Person } from "../support/person";
import { inside, rowsWrittenBy } from "../support/worker";

const PROXY = { PRINCIPAL_HEADER: "X-Verified-User" } as const;
const as = (principal: string | null, changes: Partial<Env> = {}): Client =>
  callerFrom(
    publicAddress(),
    { ...PROXY, ...changes },
    principal === null ? {} : { "X-Verified-User": principal },
  );
const read = (client: Client, session: Pick<CreatedSession, "id" | "token">): Promise<Answer> =>
  client.on(session, "GET", "", { token: session.token });
const handoff = (
  client: Client,
  { id, token }: Pick<CreatedSession, "id" | "token">,
  body: object,
) => client.on({ id }, "POST", "/handoffs", { token, body: { scopes: ["fill"], ...body } });

const person = (headers: Readonly<Record<string, string>>): Person =>
  new Person(sendFrom(headers, PROXY));
const named = (length: number) => ({ to: "agent", bind: { principal: "p".repeat(length) } });

const linkFor = async (bind: object) => {
  const maker = as("ada");
  const session = await maker.create();
  const { body } = await handoff(maker, session, { to: "human", singleUse: true, bind });
  return {
    session,
    code: body.handoff.code as string,
    handoff: body.handoff,
    token: body.resumeToken,
  };
};
const rowsOf = (session: CreatedSession) => inside(session, ({ meter }) => meter.rowsWritten);

/** The body that every wrong token gets. */
async function wrongToken(): Promise<string> {
  return (await callerFrom(null).call("GET", "/sessions/rtok_none")).text;
}

describe("a creator bound to a network", () => {
  // Shows T-10, I-8.
  it("is accepted from that network, and refused like any wrong token from another one, for every request", async () => {
    const address = publicAddress();
    const home = callerFrom(address);
    const otherNetwork = callerFrom(publicAddress());
    const session = await home.create({ bind: { network: true } });
    const { token } = session;
    expect((await read(home, session)).status).toBe(200);
    const body = { fields: { a: 1 } };
    const key = randomKey();
    const tries = [
      await read(otherNetwork, session),
      await otherNetwork.on(session, "PATCH", "", { token, key, body }),
      await otherNetwork.on(session, "POST", "/resume", { token, body: {} }),
      await otherNetwork.on(session, "GET", "/events", {
        token,
        headers: { Accept: "text/event-stream" },
      }),
      await otherNetwork.on(session, "POST", "/events", {
        token,
        body: { events: [{ type: "a.b" }] },
      }),
      await otherNetwork.on(session, "DELETE", "", { token }),
      await read(callerFrom(null), session),
    ];
    expect(new Set(tries.map(({ text }) => text))).toEqual(new Set([await wrongToken()]));
    const written = await home.on(session, "PATCH", "", { token, key, body });
    expect(written.status).toBe(200);
    // The replay of a lost response works from that network only, too.
    expect((await otherNetwork.on(session, "PATCH", "", { token, key, body })).status).toBe(403);
    expect((await home.on(session, "PATCH", "", { token, key, body })).status).toBe(200);
  });

  // Shows I-9.
  it("is shown as bound, and the network is never shown", async () => {
    const address = publicAddress();
    const { answer } = await callerFrom(address).create({ bind: { network: true } });
    expect(answer.body.session.participants[0].bound).toEqual(["network"]);
    expect(answer.text).not.toContain(address);
  });

  it("is bound to its /64 if it connects by IPv6", async () => {
    const session = await callerFrom("2001:db8:1:2::3").create({ bind: { network: true } });
    expect((await read(callerFrom("2001:db8:1:2:ffff::1"), session)).status).toBe(200);
    expect((await read(callerFrom("2001:db8:1:3::3"), session)).status).toBe(403);
  });

  it("costs no extra row", async () => {
    const home = callerFrom(publicAddress());
    const [plain, bound] = [await home.create(), await home.create({ bind: { network: true } })];
    const patch = (session: CreatedSession) => () =>
      home.on(session, "PATCH", "", { token: session.token, body: { title: "x" } });
    expect(await rowsOf(bound)).toBe(await rowsOf(plain));
    expect(await rowsWrittenBy(bound, patch(bound))).toBe(await rowsWrittenBy(plain, patch(plain)));
  });

  // Shows I-8.
  it("binds the child of its fork as well", async () => {
    const home = callerFrom(publicAddress());
    const session = await home.create({ bind: { network: true } });
    const { body } = await home.on(session, "POST", "/fork", { token: session.token, body: {} });
    const child = { id: body.child.id, token: body.childToken };
    expect((await read(home, child)).status).toBe(200);
    expect((await read(callerFrom(publicAddress()), child)).status).toBe(403);
  });
});

describe("a participant handed a token", () => {
  // Shows I-8.
  it("is bound to the named network, and the log records it", async () => {
    const maker = callerFrom(publicAddress());
    const session = await maker.create();
    const body = { to: "agent", bind: { network: "198.51.100.0/24" } };
    const handedOff = await handoff(maker, session, body);
    expect(handedOff.body.handoff.bound).toEqual(["network"]);
    const agent = { id: session.id, token: handedOff.body.participantToken };
    expect((await read(callerFrom("198.51.100.200"), agent)).status).toBe(200);
    expect((await read(callerFrom("198.51.101.1"), agent)).status).toBe(403);
    expect((await read(maker, agent)).status).toBe(403);
    const token = handedOff.body.resumeToken;
    const { text } = await maker.on(session, "GET", "/events?after=0", { token });
    expect(text).toContain('"bound":["network"]');
    expect(text).not.toContain("198.51.100");
  });

  // Shows I-8.
  it("is bound to a principal: the token without the proxy's header is refused as wrong", async () => {
    const session = await as("ada@example.com").create();
    const body = { to: "agent", bind: { principal: "bob@example.com" } };
    const handedOff = await handoff(as("ada@example.com"), session, body);
    const bob = { id: session.id, token: handedOff.body.participantToken };
    expect((await read(as("bob@example.com"), bob)).status).toBe(200);
    for (const other of ["ada@example.com", "Bob@example.com", null]) {
      expect((await read(as(other), bob)).status).toBe(403);
    }
    // A deployment that trusts no header ignores it.
    const unbelieving = as("bob@example.com", { PRINCIPAL_HEADER: "" });
    expect((await read(unbelieving, bob)).status).toBe(403);
    const stored = await inside(session, (_, { storage }) =>
      JSON.stringify(storage.sql.exec("SELECT participants FROM session").one()),
    );
    expect(stored).not.toContain("bob@example.com");
  });

  it("is bound over MCP by the same arguments", async () => {
    const mcp = new RawMcp(
      sendFrom({ "CF-Connecting-IP": publicAddress() }),
      "http://localhost:8787",
    );
    const created = await mcp.call("create_session", { bind: { network: true } });
    expect(created.facts.session.participants[0].bound).toEqual(["network"]);
    const handedOff = await mcp.call("handoff_to_agent", {
      resume_token: created.facts.resume_token,
      scopes: ["fill"],
      bind: { network: "198.51.100.0/24" },
    });
    const agent = { id: created.facts.session.id, token: handedOff.facts.participant_token };
    expect((await read(callerFrom("198.51.100.9"), agent)).status).toBe(200);
    const { code } = (await mcp.call("get_session", { resume_token: agent.token })).facts;
    expect(code).toBe("token_invalid");
  });

  it.each([
    [{ network: "somewhere" }, "bind.network"],
    [{ network: "203.0.113.0/33" }, "bind.network"],
    [{ network: false }, "bind.network"],
    [{ principal: "" }, "bind.principal"],
    [{}, "bind"],
    [{ network: true, place: "here" }, "bind"],
    // Shows I-11.
  ])("cannot be bound to %j", async (bind, at) => {
    const client = as("ada");
    const session = await client.create();
    const answer = await handoff(client, session, { to: "agent", bind });
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_request"]);
    expect(answer.body.at).toContain(at);
    expect((await read(client, session)).body.session.participants).toHaveLength(1);
  });

  // Shows I-11.
  it("cannot be bound to something this server does not know, and a wrong token is reported first", async () => {
    const nowhere = callerFrom(null);
    const session = await nowhere.create();
    for (const bind of [{ network: true }, { principal: true }, { principal: "ada" }]) {
      const answer = await handoff(nowhere, session, { to: "agent", bind });
      expect([answer.status, answer.body.code]).toEqual([400, "invalid_request"]);
      const wrong = { id: session.id, token: "rtok_none" };
      expect((await handoff(nowhere, wrong, { to: "agent", bind })).status).toBe(403);
      expect((await nowhere.call("POST", "/sessions", { body: { bind } })).status).toBe(400);
    }
    expect(
      (await handoff(as(null), session, { to: "agent", bind: { principal: true } })).status,
    ).toBe(400);
  });

  it("gets the same token again by the same request, from whichever network its maker sends it", async () => {
    const session = await callerFrom(publicAddress()).create();
    const key = randomKey();
    const body = { to: "agent", scopes: ["fill"], bind: { network: true } };
    const requestFrom = (client: Client) =>
      client.on(session, "POST", "/handoffs", { token: session.token, key, body });
    const first = await requestFrom(callerFrom(publicAddress()));
    const repeated = await requestFrom(callerFrom(publicAddress()));
    expect(repeated.body.participantToken).toBe(first.body.participantToken);
    expect(repeated.headers.get("Idempotent-Replayed")).toBe("true");
  });
});

describe("a link that is bound", () => {
  // Shows I-10.
  it("opens only for its principal, and is an unknown code for others", async () => {
    const { code, handoff } = await linkFor({ principal: "bob" });
    expect(handoff.bound).toEqual(["principal"]);
    const eve = person({ "X-Verified-User": "eve" });
    const unknown = await eve.go("GET", "/h/0000-0000-00000");
    const seen = await eve.go("GET", `/h/${code}`);
    expect([seen.status, seen.html]).toEqual([404, unknown.html]);
    const bob = person({ "X-Verified-User": "bob" });
    expect((await bob.open(code)).status).toBe(200);
    // The cookie alone is not enough either.
    const thief = person({ "X-Verified-User": "eve" });
    for (const [name, value] of bob.cookies) thief.cookies.set(name, value);
    expect((await thief.go("GET", `/h/${code}`)).status).not.toBe(200);
    expect((await bob.go("GET", `/h/${code}`)).status).toBe(200);
  });

  // Shows I-10.
  it("is also an unknown code for others after another code has replaced it", async () => {
    const { code, handoff, session, token } = await linkFor({ principal: "bob" });
    const path = `/handoffs/${handoff.id}/reissue`;
    expect((await as("ada").on(session, "POST", path, { token, body: {} })).status).toBe(200);
    const eve = person({ "X-Verified-User": "eve" });
    const unknown = await eve.go("GET", "/h/0000-0000-00000");
    const seen = await eve.go("GET", `/h/${code}`);
    expect([seen.status, seen.html]).toEqual([404, unknown.html]);
    expect((await person({ "X-Verified-User": "bob" }).go("GET", `/h/${code}`)).status).toBe(410);
  });

  // Shows I-10.
  it("must name its network, because it is not known yet where it will be opened", async () => {
    const maker = callerFrom(publicAddress());
    const session = await maker.create();
    const bindTo = (network: unknown) =>
      handoff(maker, session, { to: "human", bind: { network } });
    expect((await bindTo(true)).body).toMatchObject({ status: 400, at: "bind.network" });
    expect((await bindTo("198.51.100.0/24")).status).toBe(201);
  });
});

describe("a deployment that requires", () => {
  // Shows I-12.
  it("a network binds creators and agents automatically, and requires a network for links", async () => {
    const address = publicAddress();
    const home = callerFrom(address, { REQUIRE_BIND: "network" });
    const session = await home.create();
    expect((await read(callerFrom(publicAddress()), session)).status).toBe(403);
    const link = await handoff(home, session, { to: "human" });
    expect([link.status, link.body.at]).toEqual([400, "bind.network"]);
    const handedOff = await handoff(home, session, { to: "agent" });
    const agent = { id: session.id, token: handedOff.body.participantToken };
    expect((await read(home, agent)).status).toBe(200);
    expect((await read(callerFrom(publicAddress()), agent)).status).toBe(403);
  });

  // Shows I-12.
  it("a principal binds creators to their own, and requires a named one for everybody else", async () => {
    const demanding = { REQUIRE_BIND: "principal, network" };
    const address = publicAddress();
    const client = (name: string) =>
      callerFrom(address, { ...PROXY, ...demanding }, { "X-Verified-User": name });
    const refusedCreate = await callerFrom(address, { ...PROXY, ...demanding }).call(
      "POST",
      "/sessions",
      {
        body: {},
      },
    );
    expect([refusedCreate.status, refusedCreate.body.at]).toEqual([400, "bind.principal"]);
    const session = await client("ada").create();
    expect(session.answer.body.session.participants[0].bound).toEqual(["network", "principal"]);
    expect((await read(client("bob"), session)).status).toBe(403);
    const unnamed = await handoff(client("ada"), session, { to: "agent" });
    expect([unnamed.status, unnamed.body.at]).toEqual([400, "bind.principal"]);
    const forBob = { to: "agent", bind: { principal: "bob" } };
    expect((await handoff(client("ada"), session, forBob)).status).toBe(201);
  });

  // Shows I-12.
  it("a binding applies it to participants that an owner's key opens, by name and by id", async () => {
    const { key, settings } = createOwner();
    const changes = { ...settings, REQUIRE_BIND: "network" };
    const [boundAddress, otherAddress] = [publicAddress(), publicAddress()];
    const home = callerFrom(boundAddress, changes);
    const body = { externalId: crypto.randomUUID(), create: {} };
    const first = await home.call("POST", "/sessions/open", { token: key, body });
    const { id } = first.body.session as { id: string };
    await bindOwners({ id }, settings.OWNERS);
    const byName = await home.call("POST", "/sessions/open", { token: key, body });
    const byId = await home.call("POST", `/sessions/${id}/open`, { token: key, body: {} });
    for (const { status, text, body: opened } of [byName, byId]) {
      expect(status, text).toBeLessThan(300);
      const agent = { id, token: opened.resumeToken as string };
      expect((await read(home, agent)).status).toBe(200);
      expect((await read(callerFrom(otherAddress, changes), agent)).status).toBe(403);
    }
    const unknown = await callerFrom(null, changes).call("POST", `/sessions/${id}/open`, {
      token: key,
      body: {},
    });
    expect([unknown.status, unknown.body.at]).toEqual([400, "bind.network"]);
  });

  // Shows I-12.
  it("a binding applies it over ARCP, too", async () => {
    const changes = { REQUIRE_BIND: "network" };
    const [boundAddress, otherAddress] = [publicAddress(), publicAddress()];
    const greet = (address: string, hello: object) =>
      greetArcp(sendFrom({ "CF-Connecting-IP": address }, changes), {
        auth: { scheme: "bearer", token: "the same bearer" },
        ...hello,
      });
    const { payload } = await greet(boundAddress, {});
    const resume = { resume: { resume_token: payload.resume_token, last_event_seq: 0 } };
    expect((await greet(otherAddress, resume)).payload.code).toBe("RESUME_WINDOW_EXPIRED");
    expect((await greet(boundAddress, resume)).type).toBe("session.welcome");
  });

  it("an unknown binding is a configuration error, and nobody can create a session", async () => {
    const client = callerFrom(null, { REQUIRE_BIND: "networks" });
    expect((await client.call("POST", "/sessions", { body: {} })).status).toBe(500);
  });
});

it("the name of a principal has at most 320 characters", async () => {
  const client = as("ada");
  const session = await client.create();
  expect((await handoff(client, session, named(321))).status).toBe(400);
  expect((await handoff(client, session, named(320))).status).toBe(201);
});
