/** A complete export: log, document, files, large content, and the seal over them. */
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { verifyExport } from "../../src/verify/index";
import { callerFrom } from "../support/caller";
import { bytesOf, exported, keysOf, kindsIn } from "../support/evidence/exports";
import { uploadBlob } from "../support/evidence/scenario";
import { TestAgent } from "../support/test-agent";
import { client, rewrite } from "../support/worker";

const worker = exports as unknown as { default: { fetch(request: Request): Promise<Response> } };

describe("a whole export", () => {
  // Shows EV-8.
  it("with files holds the document as a receipt, and every file that the log confirms", async () => {
    const agent = await TestAgent.create(client, { fields: { city: "Köln" } });
    const bytes = "file ".repeat(50_000);
    await agent.call("POST", "/uploads", {
      name: "a.txt",
      type: "text/plain",
      size: bytes.length,
    });
    const headers = { "Content-Type": "text/plain", "Content-Length": String(bytes.length) };
    await client.on(agent, "PUT", "/uploads/upl_1", { token: agent.token, body: bytes, headers });
    await agent.call("POST", "/uploads/upl_1/confirm", {});
    const text = await exported(agent, "?files=true");
    const keys = await keysOf(client);
    expect(await verifyExport(bytesOf(text), keys)).toMatchObject({ whole: true, files: 1 });
    const lines = text.trimEnd().split("\n");
    expect(new Set(kindsIn(text))).toEqual(
      new Set(["commit", "proof", "receipt", "file", "data", "seal"]),
    );
    const at = lines.findIndex((line) => line.startsWith('{"data"'));
    const cut = [...lines.slice(0, at), ...lines.slice(at + 1)].join("\n");
    expect(await verifyExport(bytesOf(`${cut}\n`), keys)).toMatchObject({ whole: false });
    // Neither the file nor the seal can be left out; the log alone is a valid export.
    const upTo = (kind: string): string =>
      `${lines.slice(0, kindsIn(text).indexOf(kind)).join("\n")}\n`;
    for (const kind of ["file", "seal"]) {
      expect(await verifyExport(bytesOf(upTo(kind)), keys)).toMatchObject({ whole: false });
    }
    expect(await verifyExport(bytesOf(upTo("receipt")), keys)).toMatchObject({
      whole: true,
      sealed: false,
      files: 0,
    });
  });

  // Shows EV-8.
  it("with files holds all large content, however much is appended meanwhile", async () => {
    const agent = await TestAgent.create(client);
    const blobs = [];
    for (const text of ["", "one", "x".repeat(200_000)]) {
      blobs.push(await uploadBlob(client, agent, text));
    }
    const [text] = await Promise.all([
      exported(agent, "?files=true"),
      agent.append("agent.a"),
      agent.append("agent.b"),
    ]);
    const verdict = await verifyExport(bytesOf(text), await keysOf(client));
    expect(verdict).toMatchObject({ whole: true, sealed: true, blobs: 3 });
    const named = text.split("\n").filter((line) => line.startsWith('{"blob"'));
    expect(named.map((line) => JSON.parse(line).blob.sha256)).toEqual(blobs.toSorted());
    const { certificate } = (await agent.call("DELETE", "")).body;
    expect(certificate.blobs).toEqual(blobs.toSorted());
  });

  // Shows EV-8.
  it("reads large content page by page, and fails if some of it cannot be read", async () => {
    const agent = await TestAgent.create(client);
    await uploadBlob(client, agent, "one");
    await rewrite(agent, (sql) =>
      sql.exec(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
         INSERT INTO blobs (sha256, size, key)
         SELECT printf('%064x', i), 3, (SELECT key FROM blobs WHERE size = 3) FROM n`,
      ),
    );
    const text = await exported(agent, "?files=true");
    expect(kindsIn(text).filter((kind) => kind === "blob")).toHaveLength(1_001);
    await rewrite(agent, (sql) => sql.exec("UPDATE blobs SET key = 'nowhere'"));
    await expect(agent.tryCall("GET", "/export?files=true")).rejects.toThrow(
      "not where it was kept",
    );
  });

  // Shows EV-8.
  it("is sealed without a signature if the server has no signing key", async () => {
    const unsigned = callerFrom(null, { SIGNING_KEYS: "" });
    const agent = await TestAgent.create(unsigned);
    await uploadBlob(unsigned, agent, "one");
    const text = await exported(agent, "?files=true");
    expect(kindsIn(text)).toEqual(["commit", "blob", "data", "seal"]);
    expect(await verifyExport(bytesOf(text), null)).toMatchObject({ whole: true, blobs: 1 });
    const changed = text.replace('"data":"', '"data":"AAAA');
    expect(await verifyExport(bytesOf(changed), null)).toMatchObject({ whole: false });
  });

  // Shows EV-11.
  it("is whole also if the log is trimmed between reading the document and the log", async () => {
    const agent = await TestAgent.create(client);
    const reader = await agent.handOffTo(["view"]);
    const keys = await keysOf(client);
    for (let round = 1; round <= 3; round++) {
      await agent.append("agent.a");
      await agent.append("agent.b", "agent.c");
      await agent.call("POST", "/checkpoints", {});
      const exportSix = () => Array.from({ length: 6 }, () => exported(reader, "?files=true"));
      const before = exportSix();
      const trim = agent.call("POST", "/trim", { checkpoint: `chk_${round}` });
      const after = exportSix();
      for (const text of await Promise.all([...before, ...after])) {
        expect(await verifyExport(bytesOf(text), keys)).toMatchObject({ whole: true });
      }
      expect((await trim).body).toMatchObject({ trimmed: true });
    }
  });
});

/** Starts to export a log of several parts and reads the first of them. */
async function startExport() {
  const agent = await TestAgent.create(client);
  const reader = await agent.handOffTo(["view"]);
  const payload = { pad: "x".repeat(200_000) };
  const append = () => agent.call("POST", "/events", { events: [{ type: "agent.pad", payload }] });
  for (let count = 0; count < 4; count++) await append();
  await agent.call("POST", "/checkpoints", {});
  for (let count = 0; count < 30; count++) await append();
  await agent.call("POST", "/checkpoints", {});
  const response = await worker.default.fetch(
    new Request(`http://baton.test/sessions/${agent.id}/export`, {
      headers: { Authorization: `Bearer ${reader.token}` },
    }),
  );
  const parts = (response.body as ReadableStream<Uint8Array>).getReader();
  const first = (await parts.read()).value ?? new Uint8Array();
  const readAll = async (): Promise<readonly Uint8Array[]> => {
    const read = [first];
    for (let part = await parts.read(); !part.done; part = await parts.read())
      read.push(part.value);
    return read;
  };
  return { agent, readAll };
}

describe("an export that is being read", () => {
  // Shows EV-11.
  it("fails if a trim removes commits that it has not sent, because nothing in it would show that trim", async () => {
    const { agent, readAll } = await startExport();
    await agent.call("POST", "/trim", { checkpoint: "chk_2" });
    await expect(readAll()).rejects.toThrow("trimmed");
    const text = await exported(agent);
    expect(await verifyExport(bytesOf(text), await keysOf(client))).toMatchObject({
      whole: true,
      trimmed: { commits: 34, events: 34 },
    });
  });

  // Shows EV-11.
  it("continues if a trim removes only commits that it has sent", async () => {
    const { agent, readAll } = await startExport();
    await agent.call("POST", "/trim", { checkpoint: "chk_1" });
    expect(await verifyExport(await readAll(), await keysOf(client))).toMatchObject({
      whole: true,
      trimmed: { commits: 0, events: 0 },
    });
  });
});
