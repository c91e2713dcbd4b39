import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { generateKey } from "../../src/gateway/keyring";
import { verifyDocument, verifyExport } from "../../src/verify/index";
import { callerFrom } from "../support/caller";
import { randomKey } from "../support/client";
import { bytesOf, exported, keysOf, kindsIn } from "../support/evidence/exports";
import { runEvidenceScenario } from "../support/evidence/scenario";
import { TestAgent } from "../support/test-agent";
import { client, rowsWrittenBy } from "../support/worker";

const sha = (...parts: readonly (string | Buffer)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();

describe("an export", () => {
  // Shows EV-1.
  it("is the whole log with its chain, the records that trims left, and a signed head", async () => {
    const { owner } = await runEvidenceScenario(client);
    const text = await exported(owner);
    const verdict = await verifyExport(bytesOf(text), await keysOf(client));
    const { head } = await owner.session();
    expect(verdict).toMatchObject({
      whole: true,
      sessionId: owner.id,
      head,
      trimmed: { commits: 2, events: 3 },
      signatures: [{ keyId: "test", seq: head }],
    });
    expect(new Set(kindsIn(text))).toEqual(new Set(["commit", "trimmed", "proof"]));
    expect(kindsIn(text).at(-1)).toBe("proof");
  });

  it("holds the events that the log shows, in its order", async () => {
    const { owner } = await runEvidenceScenario(client);
    const commits = (await exported(owner)).split("\n").filter((line) => line.startsWith('{"c'));
    const events = commits.flatMap((line) => JSON.parse(line).commit.events);
    expect(events).toEqual(await owner.events());
  });

  // Shows EV-1.
  it("chains the text of each commit as it is in the log, starting from the session's id", async () => {
    const agent = await TestAgent.create(client, { fields: { a: "é" } });
    await agent.append("agent.a");
    let chain: Buffer = Buffer.from(agent.id);
    for (const line of (await exported(agent)).trimEnd().split("\n").slice(0, -1)) {
      chain = sha(chain, sha(line.slice('{"commit":'.length, line.indexOf(',"chain":'))));
      expect(JSON.parse(line).chain).toBe(chain.toString("hex"));
    }
  });

  it("is read in parts if it is long, and ends at the head it had when reading started", async () => {
    const agent = await TestAgent.create(client);
    const payload = { pad: "x".repeat(60_000) };
    for (let count = 0; count < 40; count++) {
      await agent.call("POST", "/events", { events: [{ type: "agent.pad", payload }] });
    }
    const verdict = await verifyExport(bytesOf(await exported(agent)), await keysOf(client));
    expect(verdict).toMatchObject({ whole: true, commits: 41 });
  });

  it("costs no row to read", async () => {
    const { owner } = await runEvidenceScenario(client);
    for (const path of ["/export", "/proof", "/receipt"]) {
      expect(await rowsWrittenBy(owner, () => owner.call("GET", path)), path).toBe(0);
    }
  });
});

describe("a proof", () => {
  // Shows EV-3.
  it("comes with the responses of submit, approve and finalize, and with a repeated one", async () => {
    const owner = await TestAgent.create(client, { review: { required: true, approvals: 1 } });
    const handedOff = await owner.call("POST", "/handoffs", {
      to: "agent",
      scopes: ["view", "review"],
    });
    const key = randomKey();
    const { token } = owner;
    const submitted = await owner.call("POST", "/submit", {}, { key });
    const repeated = await client.on(owner, "POST", "/submit", { token, body: {}, key });
    const reviewer = new TestAgent(client, {
      id: owner.id,
      token: handedOff.body.participantToken,
    });
    await reviewer.call("POST", "/resume", {});
    const approved = await reviewer.call("POST", "/approve", {});
    await owner.call("POST", "/resume", {});
    const finalized = await owner.call("POST", "/finalize", {});
    const patched = (await TestAgent.create(client)).call("PATCH", "", { title: "x" });
    const keys = await keysOf(client);
    for (const { body } of [submitted, approved, finalized]) {
      expect(await verifyDocument({ proof: body.proof }, keys)).toMatchObject({ whole: true });
      expect(body.proof.seq).toBe(body.session.head);
    }
    expect(repeated.headers.get("Idempotent-Replayed")).toBe("true");
    expect(repeated.body.proof).toMatchObject({
      seq: submitted.body.proof.seq,
      chain: submitted.body.proof.chain,
    });
    expect((await patched).body).not.toHaveProperty("proof");
    const text = await exported(owner);
    for (const { body } of [submitted, approved]) expect(text).toContain(body.proof.chain);
  });

  // Shows EV-3.
  it("can be requested for any seq; a trimmed one is proven by the next commit that is left", async () => {
    const { owner } = await runEvidenceScenario(client);
    const { head } = await owner.session();
    const proofAt = async (seq?: number) =>
      (await owner.call("GET", `/proof${seq === undefined ? "" : `?seq=${seq}`}`)).body.proof;
    expect((await proofAt()).seq).toBe(head);
    // The first commit holds three events; those after it, up to 6, were trimmed.
    expect((await proofAt(1)).seq).toBe(3);
    for (const seq of [4, 5, 6, 7]) expect((await proofAt(seq)).seq).toBe(7);
    const beyond = await owner.tryCall("GET", `/proof?seq=${head + 1}`);
    expect([beyond.status, beyond.body.code, beyond.body.at]).toEqual([
      400,
      "invalid_request",
      "seq",
    ]);
  });

  // Shows EV-4.
  it("is signed by the first key; older keys still verify, and removed ones do not", async () => {
    const [old, fresh] = [generateKey("2026-10"), generateKey("2026-11")];
    const before = callerFrom(null, { SIGNING_KEYS: JSON.stringify([old]) });
    const rotated = callerFrom(null, { SIGNING_KEYS: JSON.stringify([fresh, old]) });
    const removed = callerFrom(null, { SIGNING_KEYS: JSON.stringify([fresh]) });
    const agent = await TestAgent.create(before);
    const proof = { proof: (await agent.call("GET", "/proof")).body.proof };
    const now = await rotated.on(agent, "GET", "/proof", { token: agent.token });
    expect([proof.proof.keyId, now.body.proof.keyId]).toEqual(["2026-10", "2026-11"]);
    expect(await verifyDocument(proof, await keysOf(rotated))).toMatchObject({ whole: true });
    expect(await verifyDocument(proof, await keysOf(removed))).toMatchObject({
      whole: false,
      why: expect.stringContaining("2026-10, which is not listed") as string,
    });
  });

  // Shows EV-4.
  it("and a receipt are 501 without keys; exports and writes still work unsigned", async () => {
    const unsigned = callerFrom(null, { SIGNING_KEYS: "" });
    const agent = await TestAgent.create(unsigned);
    for (const path of ["/proof", "/receipt"]) {
      const answer = await agent.tryCall("GET", path);
      expect([answer.status, answer.body.code]).toEqual([501, "not_configured"]);
      expect(answer.body.nextActions[0]).toContain("SIGNING_KEYS");
    }
    const keys = await unsigned.call("GET", "/.well-known/baton-keys.json");
    expect([keys.status, keys.body.code]).toEqual([501, "not_configured"]);
    expect((await agent.call("POST", "/submit", {})).body).not.toHaveProperty("proof");
    const text = await exported(agent);
    expect(await verifyExport(bytesOf(text), null)).toMatchObject({ whole: true, signatures: [] });
    expect(await verifyExport(bytesOf(text), [])).toMatchObject({ whole: false });
    const purged = await agent.call("DELETE", "");
    expect(purged.body.certificate).not.toHaveProperty("signature");
  });
});

describe("a fork", () => {
  // Shows EV-5.
  it("names its parent's chain up to the fork", async () => {
    const { owner, child } = await runEvidenceScenario(client);
    const { parent } = await new TestAgent(client, child).session();
    const proof = (await owner.call("GET", `/proof?seq=${parent.seq}`)).body.proof;
    expect(parent).toMatchObject({ sessionId: owner.id, seq: proof.seq, chain: proof.chain });
    const text = await exported(new TestAgent(client, child));
    expect(text).toContain(proof.chain);
    expect(await verifyExport(bytesOf(text), await keysOf(client))).toMatchObject({ whole: true });
  });
});

describe("a receipt", () => {
  // Shows EV-6.
  it("states who filled what and who approved which version, signed", async () => {
    const { owner } = await runEvidenceScenario(client);
    const { receipt } = (await owner.call("GET", "/receipt")).body;
    const keys = await keysOf(client);
    expect(await verifyDocument({ receipt }, keys)).toMatchObject({
      whole: true,
      kind: "receipt",
      sessionId: owner.id,
    });
    expect(await verifyDocument({ proof: receipt.proof }, keys)).toMatchObject({ whole: true });
    expect(receipt).toMatchObject({
      state: "finalized",
      title: "Wasserschaden “Oak Street” 🎈",
      fields: [
        { field: "city", value: "Köln", by: { kind: "agent" } },
        { field: "amount", value: 12.5 },
        { field: "note", value: "two\nlines" },
      ],
      submitted: { actor: { kind: "agent" } },
      approvals: {
        needed: 1,
        given: [{ comment: "Seen and found right", version: expect.any(Number) as number }],
      },
      ended: { by: { kind: "agent" } },
      url: expect.stringContaining(`/sessions/${owner.id}/receipt`) as string,
    });
    const submitted = (await owner.events()).find(({ type }) => type === "session.submitted");
    expect(receipt.approvals.given[0].version).toBe(submitted?.version);
  });

  // Shows EV-6.
  it("does not verify if anything is changed", async () => {
    const { owner } = await runEvidenceScenario(client);
    const { receipt } = (await owner.call("GET", "/receipt")).body;
    const keys = await keysOf(client);
    const given = receipt.approvals.given.map((one: object) => ({ ...one, comment: "no" }));
    for (const changed of [
      { ...receipt, title: "another" },
      { ...receipt, approvals: { ...receipt.approvals, given } },
      { ...receipt, signature: receipt.signature.toLowerCase() },
      { ...receipt, more: 1 },
    ]) {
      expect(await verifyDocument({ receipt: changed }, keys)).toMatchObject({ whole: false });
    }
  });

  it("is a page to print for a browser, without a script and with a QR code", async () => {
    const agent = await TestAgent.create(client, {
      title: "<b>bold</b>",
      fields: { a: "<i>x</i>" },
    });
    const page = await agent.call("GET", "/receipt", undefined, {
      headers: { Accept: "text/html" },
    });
    expect(page.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    expect(page.text).toContain("&lt;i&gt;x&lt;/i&gt;");
    expect(page.text).not.toContain("<i>x");
    expect(page.text).not.toContain("<script");
    expect(page.text).toContain("<svg");
    expect(page.text).not.toContain(agent.token);
  });
});

describe("a purge", () => {
  // Shows X-4.
  it("returns a signed certificate that contains hashes only", async () => {
    const agent = await TestAgent.create(client, {
      title: "a canary title",
      fields: { a: "canary" },
    });
    const { proof } = (await agent.call("GET", "/proof")).body;
    const purged = await agent.call("DELETE", "");
    const { certificate } = purged.body;
    expect(certificate).toMatchObject({
      sessionId: agent.id,
      seq: proof.seq,
      chain: proof.chain,
      files: [],
      purged: true,
    });
    expect(purged.text).not.toContain("canary");
    expect(await verifyDocument({ certificate }, await keysOf(client))).toMatchObject({
      whole: true,
      kind: "certificate",
    });
  });
});
