/**
 * Exports of a real server, manipulated in every known way, checked by both verifiers. All tests
 * check the same four exports, which need a server and several sessions.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyDocument, verifyExport, type VerificationKey } from "../../src/verify/index.ts";
import { cliFor } from "../support/cli.ts";
import {
  PRIVATE_CANARY,
  REQUESTED_CHANGES,
  createErasedSession,
  createReviewedClaim,
  createTwiceTrimmed,
  runEvidenceScenario,
  type EvidenceScenario,
} from "../support/evidence/scenario.ts";
import {
  chained,
  changedEntries,
  flipped,
  hiddenCommits,
  joined,
  linesOf,
  malformedCommits,
  tamper,
  type Tampered,
} from "../support/evidence/tampering.ts";
import { TestAgent } from "../support/test-agent.ts";
import { isWhole, scaled } from "../support/scale.ts";
import { seeded } from "../support/seeded.ts";
import { ROOT, sharedServer, temporaryFolder } from "../support/server.ts";

const SEED = 20_261_116;
/** The manipulations of each export. `npm run test:all` has the full number. */
const MANIPULATIONS = scaled(100, 1_000);

const server = sharedServer();
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

/** A log that was trimmed and forked, the fork, one with an erased private value, and a whole export. */
const EXPORTS = ["trimmed", "fork", "erased", "sealed"] as const;
type Name = (typeof EXPORTS)[number];

let scenario: EvidenceScenario;
let erasedSession: TestAgent;
const exports = {} as Record<Name, { readonly text: string; readonly other: string }>;
let keys: readonly VerificationKey[];
const path = (name: string): string => join(folder.path, name);
const exported = async (agent: TestAgent, query = ""): Promise<string> =>
  (await agent.call("GET", `/export${query}`)).text;

beforeAll(async () => {
  const { client } = server;
  const second = await runEvidenceScenario(client);
  const [child, secondChild] = [(scenario = await runEvidenceScenario(client)), second].map(
    (run) => new TestAgent(client, run.child),
  ) as [TestAgent, TestAgent];
  await child.call("PATCH", "", { fields: { city: "Bonn" } });
  await child.append("agent.a");
  erasedSession = await createErasedSession(client);
  const secondErased = await createErasedSession(client);
  const pairs = {
    trimmed: [scenario.owner, second.owner, ""],
    fork: [child, secondChild, ""],
    erased: [erasedSession, secondErased, ""],
    sealed: [erasedSession, secondErased, "?files=true"],
  } as const;
  for (const name of EXPORTS) {
    const [one, another, query] = pairs[name];
    exports[name] = { text: await exported(one, query), other: await exported(another, query) };
    writeFileSync(path(name), exports[name].text);
  }
  ({ keys } = (await client.call("GET", "/.well-known/baton-keys.json")).body);
  writeFileSync(path("keys.json"), JSON.stringify({ keys }));
});

const python = ["python3", "python"].find(
  (name) => spawnSync(name, ["-c", "import sys; assert sys.version_info >= (3, 9)"]).status === 0,
);

interface VerifyRequest {
  readonly name: string;
  readonly at?: number;
  readonly bit?: number;
}

/** The results of the verifier that was written from the docs alone; null without Python. */
function verifyInPython(requests: readonly VerifyRequest[]): readonly string[] | null {
  if (python === undefined) return null;
  const scripts = ["test/support/evidence/check.py", "docs/examples/verify.py"];
  const args = [...scripts.map((script) => join(ROOT, script)), path("keys.json")];
  const lines = requests.map(({ name, ...rest }) => JSON.stringify({ path: path(name), ...rest }));
  const input = `${lines.join("\n")}\n`;
  const ran = spawnSync(python, args, { encoding: "utf8", input, maxBuffer: 2 ** 30 });
  expect(ran.stderr).toBe("");
  return ran.stdout.trimEnd().split("\n");
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** In the format of the other verifier, so that the two can be compared. */
const verifyBytes = async (bytes: Uint8Array): Promise<string> => {
  const verdict = await verifyExport([bytes], keys);
  if (!verdict.whole) return `wrong ${verdict.seq}`;
  const { commits, events } = verdict.trimmed;
  if (commits === 0) return "whole, nothing trimmed";
  return `whole, ${counted(commits, "commit")} with ${counted(events, "event")} trimmed`;
};
const isWholeVerdict = (verdict: string): boolean => verdict.startsWith("whole");

const VERDICTS: Readonly<Record<Name, string>> = {
  trimmed: "whole, 2 commits with 3 events trimmed",
  fork: "whole, nothing trimmed",
  erased: "whole, nothing trimmed",
  sealed: "whole, nothing trimmed",
};

describe.each(EXPORTS)("an exported log (%s)", (name) => {
  it("is whole for both verifiers", async () => {
    const verdict = await verifyExport([Buffer.from(exports[name].text)], keys);
    expect(verdict).toMatchObject({ whole: true, sealed: name === "sealed" });
    expect(await verifyBytes(Buffer.from(exports[name].text))).toBe(VERDICTS[name]);
    expect(verifyInPython([{ name }]) ?? [VERDICTS[name]]).toEqual([VERDICTS[name]]);
  });

  // Shows EV-2.
  it("is found wrong by both, at the same position, after each of a thousand manipulations", async () => {
    const { text, other } = exports[name];
    const lines = linesOf(text);
    // A whole export without the lines after its proof is the plain export of the same log.
    const plain = joined(
      lines.slice(0, 1 + lines.findIndex((line) => line.startsWith('{"proof"'))),
    );
    const random = seeded(SEED);
    const requests: VerifyRequest[] = [];
    const verdicts: string[] = [];
    const passed: string[] = [];
    const kinds = new Set<string>();
    mkdirSync(path(`${name}-tampered`));
    for (let count = 0; requests.length < MANIPULATIONS; count++) {
      const { what: kind, bytes } = tamper(random, text, other);
      if (bytes.equals(Buffer.from(text)) || bytes.equals(plain)) continue;
      const verdict = await verifyBytes(bytes);
      if (isWholeVerdict(verdict)) passed.push(kind);
      requests.push({ name: `${name}-tampered/${count}` });
      verdicts.push(verdict);
      kinds.add(kind.replace(/ at line.*/, ""));
      writeFileSync(path(requests.at(-1)?.name ?? ""), bytes);
    }
    expect(passed).toEqual([]);
    expect(kinds.size).toBeGreaterThanOrEqual(name === "sealed" ? 18 : 16);
    expect(verifyInPython(requests) ?? verdicts).toEqual(verdicts);
  });

  // Shows EV-2.
  it("is reported at the commit in which a bit was changed, for every commit, by both", async () => {
    const bytes = Buffer.from(exports[name].text);
    const random = seeded(SEED + 1);
    const requests: VerifyRequest[] = [];
    const expected: string[] = [];
    let from = 0;
    let commits = 0;
    for (const line of linesOf(exports[name].text)) {
      const length = Buffer.byteLength(line);
      const isCommit = line.startsWith('{"commit"');
      // Every byte in the full run; otherwise three of each commit.
      const positions = isWhole
        ? Array.from({ length }, (_, at) => at)
        : Array.from({ length: isCommit ? 3 : 1 }, () => Math.floor(random() * length));
      for (const position of positions) {
        requests.push({ name, at: from + position, bit: Math.floor(random() * 8) });
        const first = isCommit ? JSON.parse(line).commit.first : null;
        expected.push(first === null ? "wrong" : `wrong ${first}`);
      }
      commits += isCommit ? 1 : 0;
      from += length + 1;
    }
    expect(commits).toBeGreaterThan(name === "fork" ? 2 : 5);
    const verdicts: string[] = [];
    for (const { at = 0, bit = 0 } of requests) {
      verdicts.push(await verifyBytes(flipped(Buffer.from(bytes), at, bit)));
    }
    const missed = verdicts.filter(
      (verdict, index) => isWholeVerdict(verdict) || !verdict.startsWith(expected[index] ?? ""),
    );
    expect(missed).toEqual([]);
    expect(verifyInPython(requests) ?? verdicts).toEqual(verdicts);
  });
});

/** Verifies each file with both, expects the same verdicts, and returns which files are whole. */
async function findWhole(name: string, files: readonly Tampered[]): Promise<readonly string[]> {
  const requests: VerifyRequest[] = [];
  const verdicts: string[] = [];
  mkdirSync(path(name));
  for (const [index, { bytes }] of files.entries()) {
    requests.push({ name: `${name}/${index}` });
    writeFileSync(path(`${name}/${index}`), bytes);
    verdicts.push(await verifyBytes(bytes));
  }
  expect(verdicts.length).toBeGreaterThan(0);
  expect(verifyInPython(requests) ?? verdicts).toEqual(verdicts);
  return files.filter((_, index) => isWholeVerdict(verdicts[index] ?? "")).map(({ what }) => what);
}

describe("a commit passed off as trimmed", () => {
  // Shows EV-10.
  it("is refused by both, whichever commits of a reviewed claim are hidden", async () => {
    const text = await exported(await createReviewedClaim(server.client));
    expect(text).toContain(REQUESTED_CHANGES);
    expect(await verifyBytes(Buffer.from(text))).toBe("whole, nothing trimmed");
    const hidden = [...hiddenCommits(text)];
    expect(hidden.some(({ bytes }) => !bytes.includes(REQUESTED_CHANGES))).toBe(true);
    expect(await findWhole("hidden", hidden)).toEqual([]);
    expect(await findWhole("hidden-sealed", [...hiddenCommits(exports.sealed.text)])).toEqual([]);
  });

  // Shows EV-10.
  it("is refused by both in a log that was trimmed, and so is any other list of trimmed commits", async () => {
    const text = await exported(await createTwiceTrimmed(server.client));
    expect(await verifyBytes(Buffer.from(text))).toBe("whole, 8 commits with 14 events trimmed");
    const hidden = [...hiddenCommits(text), ...changedEntries(text)];
    const kinds = new Set(hidden.map(({ what }) => what.replace(/ in line .*| ?lines? \d+.*/, "")));
    expect(kinds.size).toBe(6);
    expect(await findWhole("twice-trimmed", hidden)).toEqual([]);
  });

  // Shows EV-10.
  it("cannot use an earlier trim: a log cut before the last trim that removed from it is not whole", async () => {
    const agent = await createTwiceTrimmed(server.client);
    const lines = linesOf(await exported(agent));
    const trims = lines.flatMap((line, at) => (line.includes('"session.trimmed"') ? [at] : []));
    const [first = 0, last = 0] = trims;
    const cuts: Tampered[] = [];
    for (const [at, line] of lines.entries()) {
      if (!line.startsWith('{"commit"')) continue;
      const { text: proof } = await agent.call("GET", `/proof?seq=${JSON.parse(line).commit.last}`);
      const bytes = joined([...lines.slice(0, at + 1), proof.trimEnd()]);
      cuts.push({ what: String(at), bytes });
    }
    const whole = (await findWhole("cuts", cuts)).map(Number);
    // A cut is whole before the first gap, after the first trim up to the second one's gap, and after
    // the last trim.
    const isComplete = (at: number) => {
      const gaps = lines.slice(0, at).filter((line) => line.startsWith('{"trimmed"')).length;
      return gaps === 0 || (gaps === 2 && at >= first) || at >= last;
    };
    expect(whole).toEqual(cuts.map(({ what }) => Number(what)).filter(isComplete));
    expect(whole.length).toBeLessThan(cuts.length);
  });
});

describe("a malformed commit with its chain recomputed", () => {
  // Shows EV-2.
  it("is refused by both at its commit, also without keys", async () => {
    const malformed = [...malformedCommits(exports.sealed.text)];
    expect(await findWhole("malformed", malformed)).toEqual([]);
    for (const { what, first, bytes } of malformed) {
      for (const known of [keys, null]) {
        const verdict = await verifyExport([bytes], known);
        expect([what, verdict]).toEqual([
          what,
          { whole: false, seq: first, why: expect.any(String) },
        ]);
      }
    }
  });
});

describe("a malformed trim, receipt or proof", () => {
  /** An object that cannot become a number or a text. */
  const opaque = { toString: 1, valueOf: 1 };

  it("is refused if its floor is not a number", async () => {
    const lines = linesOf(exports.trimmed.text).filter((line) => !line.startsWith('{"proof"'));
    const at = lines.findIndex((line) => line.includes('"session.trimmed"'));
    const trim = lines[at] ?? "";
    const changed = trim.replace(/"floor":\d+/, `"floor":${JSON.stringify(opaque)}`);
    expect(changed).not.toBe(trim);
    const entries = lines.find((line) => line.startsWith('{"trimmed"')) ?? "";
    const [[first]] = JSON.parse(entries).trimmed;
    expect(await verifyExport([joined(lines)], null)).toMatchObject({ whole: true });
    const verdict = await verifyExport([joined(chained(lines.with(at, changed)))], null);
    expect(verdict).toMatchObject({ whole: false, seq: first });
  });

  it.each([null, { sha256: opaque }])("is refused if it lists a file as %j", async (file) => {
    const lines = linesOf(exports.sealed.text).map((line) => {
      if (!line.startsWith('{"receipt"')) return line;
      return JSON.stringify({ receipt: { ...JSON.parse(line).receipt, files: [file] } });
    });
    const why = "the receipt is malformed";
    expect(await verifyExport([joined(lines)], null)).toMatchObject({ whole: false, why });
  });

  it("is refused if its seq is not a number", async () => {
    const { proof } = (await scenario.owner.call("GET", "/proof")).body;
    const document = { proof: { ...proof, seq: opaque } };
    expect(await verifyDocument(document, keys)).toMatchObject({ whole: false, seq: 0 });
  });
});

describe("the second verifier", () => {
  it("has at most a hundred lines and needs no package", () => {
    const text = readFileSync(join(ROOT, "docs/examples/verify.py"), "utf8");
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(100);
    const imported = text.match(/^(?:import|from) .*$/gm);
    expect(imported).toEqual(["import base64, hashlib, json, re, sys"]);
  });
});

describe("an erased private value", () => {
  it("is in no export, and the export is still whole", () => {
    expect(exports.erased.text).toContain("private.erased");
    for (const name of EXPORTS) expect(exports[name].text).not.toContain(PRIVATE_CANARY);
  });
});

describe("receipts and certificates", () => {
  // Shows EV-2.
  it("are found wrong by both with any bit changed, or with another signer", async () => {
    const purged = await createErasedSession(server.client);
    const { receipt } = (await scenario.owner.call("GET", "/receipt")).body;
    const documents = {
      receipt: { receipt },
      certificate: (await purged.call("DELETE", "")).body,
      other: (await (await createErasedSession(server.client)).call("DELETE", "")).body,
    };
    expect(documents.certificate.certificate).toMatchObject({ purged: true });
    expect(documents.certificate.certificate.blobs).toHaveLength(2);
    const { signature } = documents.other.certificate;
    const stolen = { certificate: { ...documents.certificate.certificate, signature } };
    const random = seeded(SEED + 2);
    const requests: VerifyRequest[] = [];
    const verdicts: string[] = [];
    const check = async (request: VerifyRequest, bytes: Buffer) => {
      requests.push(request);
      verdicts.push((await isValidDocument(bytes)) ? "whole" : "wrong");
    };
    for (const [name, document] of Object.entries({ ...documents, stolen })) {
      const bytes = Buffer.from(JSON.stringify(document));
      writeFileSync(path(`${name}.json`), bytes);
      await check({ name: `${name}.json` }, bytes);
      for (let count = 0; count < scaled(40, 500); count++) {
        const change = { at: Math.floor(random() * bytes.length), bit: Math.floor(random() * 8) };
        await check(
          { name: `${name}.json`, ...change },
          flipped(Buffer.from(bytes), change.at, change.bit),
        );
      }
    }
    const whole = requests.filter((_, index) => verdicts[index] === "whole");
    expect(whole).toEqual(Object.keys(documents).map((name) => ({ name: `${name}.json` })));
    const second = verifyInPython(requests)?.map((verdict) => verdict.replace(/ \d+$/, ""));
    expect(second ?? verdicts).toEqual(verdicts);
  });
});

const isValidDocument = async (bytes: Buffer): Promise<boolean> => {
  return (await verifyDocument(bytes, keys)).whole;
};

/** Inserts the same member before it, once plainly and once with an escape; an object is inserted empty. */
function duplicateMember(text: string, member: string): readonly string[] {
  const [, written = ""] = new RegExp(`("${member}":(?:"[^"]*"|[\\w.]+|\\{))`).exec(text) ?? [];
  const first = written.endsWith("{") ? `${written}},` : `${written},`;
  const escaped = `\\u00${member.charCodeAt(0).toString(16)}`;
  return [first, first.replace(member.slice(0, 1), escaped)].map((twice) =>
    text.replace(written, twice + written),
  );
}

const isAccepted = async (text: string, kind: string): Promise<boolean> =>
  kind === "export"
    ? isWholeVerdict(await verifyBytes(Buffer.from(text)))
    : isValidDocument(Buffer.from(text));

describe("a member that appears twice", () => {
  // Shows EV-2.
  it("is refused by both in every signed or hashed document, and named by the command line", async () => {
    const { text: receipt } = await scenario.owner.call("GET", "/receipt");
    const { text: proof } = await scenario.owner.call("GET", "/proof");
    const { text: certificate } = await (
      await createErasedSession(server.client)
    ).call("DELETE", "");
    const files: readonly (readonly [string, string, string])[] = [
      [proof, "proof", "seq"],
      [receipt, "receipt", "title"],
      [receipt, "receipt", "value"],
      [receipt, "receipt", "receipt"],
      [certificate, "certificate", "chain"],
      [exports.sealed.text, "export", "participant"],
      [exports.sealed.text, "export", "state"],
      [exports.sealed.text, "export", "keyId"],
      [exports.sealed.text, "export", "files"],
    ];
    const requests: VerifyRequest[] = [];
    for (const [text, kind, member] of files) {
      expect(await isAccepted(text, kind)).toBe(true);
      for (const twice of duplicateMember(text, member)) {
        expect(JSON.parse(linesOf(twice)[0] ?? "")).toBeTypeOf("object");
        expect([member, await isAccepted(twice, kind)]).toEqual([member, false]);
        requests.push({ name: `twice-${requests.length}` });
        writeFileSync(path(requests.at(-1)?.name ?? ""), twice);
      }
    }
    expect(verifyInPython(requests)?.filter(isWholeVerdict) ?? []).toEqual([]);
    const cli = cliFor(server.url, path("home"));
    const refused = await cli.run(["verify", path("twice-0"), "--keys", path("keys.json")]);
    expect([refused.code, refused.stdout]).toEqual([
      3,
      expect.stringContaining('"seq" appears twice'),
    ]);
  });
});

describe("baton verify", () => {
  // Shows EV-9.
  it("reports up to which event a log is complete, and refuses one that was cut before a saved head", async () => {
    const cli = cliFor(server.url, path("home"));
    const lines = linesOf(exports.trimmed.text);
    const ends = lines.findLastIndex((line) => line.startsWith('{"commit"')) - 2;
    const { last } = JSON.parse(lines[ends] ?? "").commit;
    const { text: proof } = await scenario.owner.call("GET", `/proof?seq=${last}`);
    writeFileSync(path("cut"), joined([...lines.slice(0, ends + 1), proof.trimEnd()]));
    writeFileSync(path("head.json"), (await scenario.owner.call("GET", "/receipt")).text);
    writeFileSync(path("early.json"), proof);
    const run = (file: string, ...args: readonly string[]) =>
      cli.run(["verify", path(file), "--keys", path("keys.json"), ...args]);
    const cut = await run("cut");
    expect([cut.code, cut.stdout]).toEqual([
      0,
      expect.stringContaining(`complete up to event ${last} `),
    ]);
    const short = await run("cut", "--kept", path("head.json"));
    expect([short.code, short.stdout]).toEqual([
      3,
      expect.stringContaining("the log continues to event"),
    ]);
    expect((await run("cut", "--expect-seq", String(last))).code).toBe(0);
    expect((await run("cut", "--expect-seq", String(last + 1))).code).toBe(3);
    for (const saved of ["head.json", "early.json"]) {
      const whole = await run("trimmed", "--kept", path(saved));
      expect([whole.code, whole.stdout]).toEqual([0, expect.stringContaining("(finalized)")]);
    }
    const other = JSON.parse(proof).proof;
    const notice = { type: "session.submitted", data: { ...other, chain: "0".repeat(64) } };
    writeFileSync(path("notice.json"), JSON.stringify(notice));
    const differs = await run("trimmed", "--kept", path("notice.json"));
    expect([differs.code, differs.stdout]).toEqual([3, expect.stringContaining("another chain")]);
    expect((await run("erased", "--kept", path("head.json"))).stdout).toContain("another session");
    writeFileSync(path("forged.json"), proof.replace(`"seq":${last}`, `"seq":${last + 9}`));
    expect((await run("trimmed", "--kept", path("forged.json"))).code).toBe(2);
  });

  it("ends with 0 for a whole file and names the signer, with 3 for another and names the problem", async () => {
    const cli = cliFor(server.url, path("home"));
    const { text } = exports.trimmed;
    writeFileSync(path("a.ndjson"), text);
    const right = await cli.run(["verify", path("a.ndjson"), "--url", server.url]);
    expect([right.code, right.stderr]).toEqual([0, ""]);
    expect(right.stdout).toContain(`of ${scenario.owner.id}`);
    expect(right.stdout).toContain("signed with the key");
    expect(right.stdout).toContain("the log alone");
    expect(right.stdout).toContain("2 commits with 3 events were trimmed");
    const rightAsJson = await cli.run(["verify", path("a.ndjson"), "--url", server.url, "--json"]);
    expect(JSON.parse(rightAsJson.stdout)).toMatchObject({ trimmed: { commits: 2, events: 3 } });
    const unchecked = await cli.run(["verify", path("a.ndjson")]);
    expect([unchecked.code, unchecked.stdout.includes("not checked")]).toEqual([0, true]);
    writeFileSync(path("b.ndjson"), text.replace("Köln", "Bonn"));
    const wrong = await cli.run(["verify", path("b.ndjson"), "--keys", path("keys.json")]);
    expect([wrong.code, wrong.stdout]).toEqual([3, expect.stringContaining("at event 1:")]);
    const asJson = await cli.run(["verify", path("b.ndjson"), "--json"]);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ whole: false, seq: 1 });
  });

  it("accepts receipts and certificates, and exports made by the same command line", async () => {
    const cli = cliFor(server.url, path("home"));
    const { body } = await scenario.owner.call("GET", "/receipt");
    writeFileSync(path("pretty.json"), JSON.stringify(body, null, 2));
    const args = ["--keys", path("keys.json")];
    expect((await cli.run(["verify", path("pretty.json"), ...args])).code).toBe(0);
    expect((await cli.run(["verify", path("pretty.json")])).code).toBe(2);
    expect((await cli.run(["verify", path("certificate.json"), ...args])).code).toBe(0);
    // Signed, but of another kind than its name says.
    writeFileSync(path("renamed.json"), JSON.stringify({ certificate: body.receipt }));
    expect((await cli.run(["verify", path("renamed.json"), ...args])).code).toBe(3);
    await cli.json("create", "--title", "Mine");
    expect((await cli.run(["export", path("mine.ndjson"), "--files"])).code).toBe(0);
    const exportedHere = await cli.run(["verify", path("mine.ndjson"), ...args]);
    expect([exportedHere.code, exportedHere.stdout]).toEqual([
      0,
      expect.stringContaining("with the document"),
    ]);
  });

  // Shows EV-8.
  it("checks the files and the large content of a whole export", async () => {
    const cli = cliFor(server.url, path("home"));
    const args = ["--keys", path("keys.json")];
    const right = await cli.run(["verify", path("sealed"), ...args]);
    expect([right.code, right.stdout]).toEqual([
      0,
      expect.stringContaining("files: 1, large content: 2"),
    ]);
    expect(right.stdout).toContain("nothing was trimmed");
    const lines = linesOf(exports.sealed.text);
    const blob = lines.findIndex((line) => line.startsWith('{"blob"'));
    writeFileSync(path("without"), joined(lines.toSpliced(blob, 2)));
    const without = await cli.run(["verify", path("without"), ...args]);
    expect([without.code, without.stdout]).toEqual([3, expect.stringContaining("sealed")]);
  });
});
