/** The operations of an owner with a key, on the command line and with the SDK. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Baton, MemoryTokenStore, unwrap } from "../../src/client/index.ts";
import { cliFor, type Cli } from "../support/cli.ts";
import { newKey, ownersText, sha256Hex } from "../support/owners.ts";
import { Receiver } from "../support/receiver.ts";
import { startServer, temporaryFolder } from "../support/server.ts";

const folder = temporaryFolder();
const key = newKey();
let receiver: Receiver;
let server: Awaited<ReturnType<typeof startServer>>;
let cli: Cli;
const env = { BATON_KEY: key };

beforeAll(async () => {
  receiver = await Receiver.start();
  server = await startServer(folder.path, undefined, {
    OWNERS: ownersText({ acme: [key] }),
    WEBHOOK_ALLOW: receiver.host,
    WEBHOOK_DELAYS_MS: "0,100",
  });
  cli = cliFor(server.url, mkdtempSync(join(tmpdir(), "baton-owner-")));
});
afterAll(async () => {
  await server.stop();
  await receiver.close();
  folder[Symbol.dispose]();
});

const connect = (ownerKey = key): Baton =>
  Baton.connect(server.url, { store: new MemoryTokenStore(), key: ownerKey });
const listIds = async (baton: Baton, q: string): Promise<readonly string[]> => {
  const ids: string[] = [];
  for await (const { id } of baton.sessions.list({ q, limit: 2 })) ids.push(id);
  return ids;
};
const runJson = async (...args: readonly string[]) => {
  const ran = await cli.run([...args, "--json"], { env });
  expect(ran.code, ran.stderr).toBe(0);
  return JSON.parse(ran.stdout);
};

describe("the SDK with a key", () => {
  it("lists page by page, follows changes, and opens by id", async () => {
    const baton = connect();
    const sessions = [];
    for (const n of [1, 2, 3, 4, 5]) {
      sessions.push(await baton.create({ title: `Sdk ${n}`, labels: { n: String(n) } }));
    }
    const ids = sessions.map(({ id }) => id).toReversed();
    await expect.poll(() => listIds(baton, "sdk")).toEqual(ids);
    const page = await baton.sessions.list({ label: { name: "n", value: "3" } }).page();
    expect(page.sessions).toMatchObject([{ title: "Sdk 3", waiting: { for: "agent" } }]);
    expect(page.counts.total).toBeGreaterThanOrEqual(5);
    const numbers: number[] = [];
    for await (const { number } of baton.sessions.changes()) {
      numbers.push(number);
      if (numbers.length === 5) break;
    }
    expect(numbers).toEqual([1, 2, 3, 4, 5]);
    const opened = await baton.sessions.open(ids[0]!, { actor: { id: "rescuer" } }, { as: "it" });
    expect(unwrap(await opened.setFields({ a: 1 })).session.updatedBy.id).toBe("rescuer");
    const again = await baton.attach("it");
    expect(again.id).toBe(ids[0]);
  });

  it("opens by the name in the input, saves templates, and is refused without a key", async () => {
    const baton = connect();
    const first = await baton.open("mine", { externalId: "case-1", title: "Case" });
    const second = await connect().open("mine", { externalId: "case-1" });
    expect(second.id).toBe(first.id);
    const put = await baton.templates.put("claim", { title: "Claim" });
    expect([put.name, put.version]).toEqual(["claim", 1]);
    const created = await baton.create({ template: "claim" });
    expect(created.state).toMatchObject({
      title: "Claim",
      template: { name: "claim", version: 1 },
    });
    expect(await baton.templates.list()).toMatchObject([{ name: "claim" }]);
    expect((await baton.templates.retire("claim")).retiredAt).toBeDefined();
    expect((await baton.templates.get("claim@1")).definition).toEqual({ title: "Claim" });
    await expect(Baton.connect(server.url).sessions.list().page()).rejects.toMatchObject({
      code: "credential_missing",
    });
  });
});

describe("the command line with BATON_KEY", () => {
  it("lists with filters, as JSON and as a table that fits the terminal", async () => {
    const baton = connect();
    const long = "A title that is much longer than any narrow terminal is wide";
    const one = await baton.create({ title: long, labels: { team: "blue" } });
    await baton.create({ title: "Another", labels: { team: "red" } });
    await expect
      .poll(async () => (await runJson("list", "--label", "team:blue")).sessions)
      .toMatchObject([{ id: one.id, title: long }]);
    expect((await runJson("list", "--limit", "1")).sessions).toHaveLength(1);
    for (const columns of ["40", "90", "160"]) {
      const ran = await cli.run(["list", "--q", "title narrow"], {
        env: { ...env, COLUMNS: columns },
      });
      expect(ran.code, ran.stderr).toBe(0);
      expect(ran.stdout).toContain(one.id);
      const lines = ran.stdout.split("\n").filter((line) => !line.includes("ses_"));
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(Number(columns));
      if (columns !== "40") {
        const row = ran.stdout.split("\n").find((line) => line.includes(one.id)) ?? "";
        expect(row.length).toBeLessThanOrEqual(Number(columns));
      }
    }
    const refused = await cli.run(["list"], { env: { BATON_KEY: "" } });
    expect(refused.code).not.toBe(0);
    expect((await cli.run(["list", "--label", "x"], { env })).code).not.toBe(0);
  });

  it("opens by id and by name, and continues with the opened session", async () => {
    const session = await connect().create({ title: "Lost" });
    const opened = await runJson("open", session.id, "--as", "found");
    expect(opened).toMatchObject({ name: "found", session: { title: "Lost" } });
    expect((await runJson("set", "a=1")).session.fields).toEqual({ a: "1" });
    const none = await cli.run(["open", "--external-id", "cli-1"], { env });
    expect(none.code).not.toBe(0);
    const created = await runJson("open", "--external-id", "cli-1", "--create", "--as", "one");
    const again = await runJson("open", "--external-id", "cli-1", "--as", "two");
    expect(again.session.id).toBe(created.session.id);
  });

  it("uses the key for the session and passes it to no program", async () => {
    const { code, stdout } = await cli.run(["run", "--as", "bare", "--", "env"], { env });
    expect(code).toBe(0);
    expect(stdout).toContain("BATON_SESSION=ses_");
    expect(stdout).not.toContain(key);
  });

  it("puts, lists and retires templates", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "baton-template-")), "t.json");
    writeFileSync(file, JSON.stringify({ title: "From a file" }));
    expect((await runJson("templates", "visa", "--put", file)).template.version).toBe(1);
    expect((await runJson("templates")).templates).toMatchObject([{ name: "visa", version: 1 }]);
    expect((await runJson("templates", "visa")).template.definition.title).toBe("From a file");
    expect((await runJson("templates", "visa", "--retire")).template.retiredAt).toBeDefined();
  });

  it("creates a key and the entry of OWNERS that lists it", async () => {
    const { key: newKey, entry } = await runJson("owner", "new", "acme", "--rights", "create,read");
    expect(newKey).toMatch(/^bkey_[A-Za-z0-9_-]{43}$/);
    const rights = ["create", "read"];
    const keys = [{ name: "main", keyHash: sha256Hex(newKey), rights }];
    expect(entry).toEqual({ name: "acme", keys });
    const { stdout } = await cli.run(["owner", "new", "acme"]);
    expect(stdout).toContain("bkey_");
    expect((await cli.run(["owner", "new", "a b"])).code).not.toBe(0);
    expect((await cli.run(["owner", "new", "a", "--rights", "all"])).code).not.toBe(0);
  });
});

describe("endpoints of an owner", () => {
  it("are added, changed, rotated, replayed and removed with the SDK", async () => {
    const baton = connect();
    receiver.behaves = () => ({ status: 500 });
    const url = receiver.url("/sdk");
    const added = await baton.endpoints.add({ url, notices: ["session.awaiting_input"] });
    const { id } = added.endpoint;
    const rotated = await baton.endpoints.rotate(id);
    const session = await baton.create({ title: "Endpoints" });
    await session.requestInput({});
    const deliveries = async () => (await baton.endpoints.deliveries(id, { limit: 1 })).deliveries;
    await expect.poll(deliveries).toMatchObject([{ status: "given_up", attempts: [{}, {}] }]);

    receiver.behaves = () => ({ status: 204 });
    const [failed] = await deliveries();
    await baton.endpoints.replay(id, { delivery: failed?.id ?? "" });
    await expect.poll(deliveries).toMatchObject([{ status: "delivered" }]);
    const changed = await baton.endpoints.change(id, { notices: ["session.cancelled"] });

    expect([added.secret, rotated.secret].every((one) => one.startsWith("whsec_"))).toBe(true);
    expect(changed.notices).toEqual(["session.cancelled"]);
    expect((await baton.endpoints.get(id)).status).toBe("active");
    await baton.endpoints.remove(id);
    expect(await baton.endpoints.list()).toEqual([]);
  });

  it.each([
    ["bell-1", "--owner"],
    ["bell-2", "--session=bell-2"],
  ])("are managed on the command line (%s: %s)", async (name, path) => {
    await runJson("create", "--as", name);
    const endpoints = (...args: readonly string[]) => runJson("endpoints", ...args, path);
    receiver.behaves = () => ({ status: 500 });
    const options = ["--to", receiver.url(`/cli${path}`), "--notices", "handoff.created"];

    const { endpoint, secret } = await endpoints("add", ...options);
    const rotated = await endpoints("rotate", endpoint.id);
    const { handoff } = await runJson("handoff", "--human", "--notify", endpoint.id, "-s", name);
    const deliveries = async () => (await endpoints("deliveries", endpoint.id)).deliveries;
    await expect.poll(deliveries).toMatchObject([{ status: "given_up" }]);
    receiver.behaves = () => ({ status: 204 });
    const [failed] = await deliveries();
    await endpoints("replay", endpoint.id, "--delivery", failed.id);
    await expect.poll(deliveries).toMatchObject([{ status: "delivered" }]);
    const changed = await endpoints("change", endpoint.id, "--format", "ntfy", "--activate");
    const { endpoints: listed } = await endpoints();
    await endpoints("remove", endpoint.id);

    expect([secret, rotated.secret].every((one) => one.startsWith("whsec_"))).toBe(true);
    expect(receiver.arrived.at(-1)?.body.data.url).toBe(handoff.url);
    expect(changed.endpoint).toMatchObject({ format: "ntfy", status: "active" });
    expect(listed).toEqual([changed.endpoint]);
    expect((await endpoints()).endpoints).toEqual([]);
  });

  it.each([
    [["add", "--to", "https://hooks.example/a"], /--notices/],
    [["replay", "end_1"], /--delivery dlv_7/],
    [["change", "end_1"], /Say what to change/],
    [["rotate"], /Name the endpoint/],
    [["ring"], /does not exist/],
    [["add", "--label", "x"], /name:value/],
  ])("refuse endpoints %j before any request is sent", async (args, message) => {
    const ran = await cli.run(["endpoints", ...args, "--owner"], { env });

    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(message);
  });
});
