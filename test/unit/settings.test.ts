import { describe, expect, it } from "vitest";
import { banner } from "../../scripts/banner.ts";
import { canCreate, settingsProblems, settingsWarnings } from "../../scripts/settings/check.ts";
import { CHECKS } from "../../scripts/settings/checks.ts";
import { varNames } from "../../scripts/server-vars.ts";
import { newKey, ownersText } from "../support/owners.ts";

const LOCAL = "127.0.0.1";
const HASH = "0".repeat(64);
const OWNERS = ownersText({ acme: [newKey()] });
const KEY = "A".repeat(43);

/** Three wrong values of each setting, and one that is right. */
const VALUES: Readonly<
  Record<string, { readonly wrong: readonly string[]; readonly right: string }>
> = {
  PUBLIC_URL: {
    wrong: ["", "baton.example", "https://a.example/path"],
    right: "https://a.example",
  },
  OWNERS: {
    wrong: [
      "",
      "oops",
      "[]",
      '[{"name": "acme"}]',
      '[{"name": "a", "keys": [], "jurisdiction": "eu"}]',
    ],
    right: OWNERS,
  },
  CONSOLE_ENTRY: {
    wrong: ["", "oops", "{}", `{"codeHash": "${HASH}", "keyHash": "${HASH}", "expiresAt": "soon"}`],
    right: JSON.stringify({
      codeHash: HASH,
      keyHash: HASH,
      expiresAt: "2027-01-31T00:00:00Z",
    }),
  },
  FILES_JURISDICTION: { wrong: ["", "eu", "oops"], right: "" },
  CREATE_KEYS: { wrong: ["", "oops", "[]"], right: "" },
  OPEN_CREATE: { wrong: ["", "yes", "1"], right: "true" },
  AGENTS: {
    wrong: ["", "oops", '[{"name": "a", "keyHash": "abc"}]', '[{"nmae": "a"}]', '{"name": "a"}'],
    right: JSON.stringify([{ name: "a", versions: ["1", "2"], default: "2", keyHash: HASH }]),
  },
  TRUSTED_PROXY: {
    wrong: [
      "",
      "127.0.0.1",
      '{"from": ["everywhere"], "header": "X-Forwarded-For"}',
      '{"from": [], "header": "X-Forwarded-For"}',
      '{"from": ["127.0.0.1"], "header": "Forwarded"}',
      '{"from": ["127.0.0.1"]}',
    ],
    right: '{"from": ["127.0.0.1", "10.0.0.0/8"], "header": "X-Forwarded-For"}',
  },
  PRINCIPAL_HEADER: { wrong: ["", "X User", "X-User:"], right: "X-User" },
  OIDC: {
    wrong: [
      "",
      "oops",
      '{"issuer": "http://login.example", "audience": "a", "header": "X-Id"}',
      '{"issuer": "https://login.example", "audience": "a", "header": "Authorization"}',
      '{"issuer": "https://login.example", "header": "X-Id"}',
    ],
    right: '{"issuer": "https://login.example", "audience": "baton", "header": "X-Id"}',
  },
  REQUIRE_BIND: { wrong: ["", "networks", "network;principal"], right: "network" },
  RATE_LIMITS: {
    wrong: ["", "20", '{"creates": {"limit": 20}}', '{"create": {"limit": 0}}'],
    right: '{"create": {"limit": 20, "period": 10}}',
  },
  LOG: { wrong: ["", "all", "true"], right: "requests" },
  METRICS_TOKEN: { wrong: ["", "short", "with a space in its middle"], right: "a".repeat(16) },
  SEALING_KEYS: {
    wrong: ["", "oops", "[]", '[{"id": "a", "key": "c2hvcnQ"}]'],
    right: JSON.stringify([{ id: "a", key: KEY }]),
  },
  SIGNING_KEYS: {
    wrong: ["", "oops", "{}", '[{"key": "c2hvcnQ"}]'],
    right: JSON.stringify([{ id: "a", key: KEY }]),
  },
  DEFAULT_TTL_MS: { wrong: ["", "7d", "-1"], right: "604800000" },
  MIN_TTL_MS: { wrong: ["", "0", "1.5"], right: "1000" },
  MAX_TTL_MS: { wrong: ["", "forever", "0"], right: "7776000000" },
  RETENTION_MS: { wrong: ["", "30 days", "-1"], right: "0" },
  MAX_LISTENERS: { wrong: ["", "many", "0"], right: "10" },
  ARCP_HEARTBEAT_MS: { wrong: ["", "30s", "0"], right: "30000" },
  WEBHOOK_ALLOW: { wrong: ["", "http://localhost", "a b"], right: "localhost:9000, hooks.lan" },
  WEBHOOK_TIMEOUT_MS: { wrong: ["", "0", "soon"], right: "2000" },
  WEBHOOK_DELAYS_MS: { wrong: ["", "0,x", "-1"], right: "0,200,200" },
  PUBLIC_NAME: { wrong: ["", "two\nlines", "x".repeat(101)], right: "Acme Claims" },
  MCP_EVENTS: { wrong: ["", "true", "ON"], right: "on" },
};

/** Other settings that a setting needs. */
const NEEDED_WITH: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  PRINCIPAL_HEADER: { TRUSTED_PROXY: VALUES["TRUSTED_PROXY"]?.right ?? "" },
};

const CASES = Object.entries(VALUES).flatMap(([name, { wrong }]) =>
  wrong.map((value) => [name, value] as const),
);

const problemsOf = (settings: Record<string, string>): string =>
  settingsProblems(settings, LOCAL).join();

/** The settings that the problems are about. */
const settingsIn = (problems: readonly string[]) => problems.map((text) => text.split(" ")[0]);

const agentOf = (owner: string): string => JSON.stringify([{ name: "a" }, { name: "a", owner }]);

describe("settings", () => {
  it("are all known to the check", () => {
    expect(varNames().filter((name) => CHECKS[name] === undefined)).toEqual([]);
    expect(Object.keys(CHECKS).sort()).toEqual(Object.keys(VALUES).sort());
  });

  it.each(CASES)("%s is refused as %j, with its name, what it is and an example", (name, value) => {
    const problems = settingsProblems({ ...NEEDED_WITH[name], [name]: value }, LOCAL);
    expect(problems).toHaveLength(1);
    const [problem = ""] = problems;
    expect(problem.startsWith(`${name} `)).toBe(true);
    expect(problem).toContain(CHECKS[name]?.example ?? "none");
    if (CHECKS[name]?.isSecret === true) expect(problem).toContain("not shown");
    else expect(problem).toContain(JSON.stringify(value));
  });

  it.each(Object.entries(VALUES).filter(([, { right }]) => right !== ""))(
    "%s is accepted with a valid value",
    (name, { right }) => {
      expect(settingsProblems({ ...NEEDED_WITH[name], [name]: right }, LOCAL)).toEqual([]);
    },
  );

  it("show nothing of a secret", () => {
    const problems = settingsProblems(
      { SEALING_KEYS: "oops-secret", METRICS_TOKEN: "hush" },
      LOCAL,
    );
    expect(problems).toHaveLength(2);
    expect(problems.join()).not.toMatch(/oops-secret|hush/);
  });

  it("are refused if they contradict each other", () => {
    expect(problemsOf({ MIN_TTL_MS: "2000", MAX_TTL_MS: "1000" })).toMatch(/^MIN_TTL_MS /);
    expect(problemsOf({ DEFAULT_TTL_MS: "2000", MAX_TTL_MS: "1000" })).toMatch(/^DEFAULT_TTL_MS /);
    expect(problemsOf({ PRINCIPAL_HEADER: "X-User" })).toContain("needs TRUSTED_PROXY");
    expect(problemsOf({ REQUIRE_BIND: "principal" })).toContain("PRINCIPAL_HEADER");
  });

  it("are refused if the owner of an agent is not listed", () => {
    const PUBLIC_URL = "http://localhost:8787";
    const [{ name }] = JSON.parse(OWNERS) as [{ name: string }];
    expect(problemsOf({ OWNERS, AGENTS: agentOf("nobody") })).toMatch(
      /^AGENTS is wrong: \[1\]\.owner is "nobody", which OWNERS does not list/,
    );
    expect(settingsProblems({ OWNERS, AGENTS: agentOf(name) }, LOCAL)).toEqual([]);
    // `npm start` creates the owner local on a loopback address if no owners are listed.
    expect(settingsProblems({ AGENTS: agentOf("local"), PUBLIC_URL }, LOCAL)).toEqual([]);
    expect(problemsOf({ AGENTS: agentOf("nobody") })).toMatch(/^AGENTS /);
    expect(problemsOf({ OWNERS, AGENTS: agentOf("local") })).toMatch(/^AGENTS /);
    const open = { PUBLIC_URL: "https://a.example", OPEN_CREATE: "true" };
    const AGENTS = '[{"name": "a", "owner": "local"}]';
    expect(settingsIn(settingsProblems({ ...open, AGENTS }, "0.0.0.0"))).toEqual(["AGENTS"]);
    expect(settingsIn(settingsProblems({ OWNERS: "oops", AGENTS }, LOCAL))).toEqual(["OWNERS"]);
  });
});

const warningsOf = (settings: Record<string, string>, host: string) =>
  settingsWarnings(settings, host, {}, Date.now());

describe("a server that others can reach", () => {
  it.each(["0.0.0.0", "::", "192.168.1.7", "host.lan"])(
    "on %s names every setting that is missing",
    (host) => {
      expect(settingsIn(settingsProblems({}, host))).toEqual(["PUBLIC_URL", "OWNERS", "AGENTS"]);
    },
  );

  it("starts with a list of owners or OPEN_CREATE=true, agents that have keys, and its address", () => {
    const settings = { PUBLIC_URL: "https://a.example", AGENTS: "[]" };
    expect(settingsProblems({ ...settings, OWNERS }, "0.0.0.0")).toEqual([]);
    expect(settingsProblems({ ...settings, OPEN_CREATE: "true" }, "0.0.0.0")).toEqual([]);
    expect(settingsIn(settingsProblems({ ...settings, OPEN_CREATE: "false" }, "0.0.0.0"))).toEqual([
      "OWNERS",
    ]);
  });

  it.each([
    ["listens beyond this machine", "0.0.0.0", "http://localhost:8787"],
    ["has a public address", LOCAL, "https://a.example"],
  ])("requires a key for claiming jobs if it %s", (_, host, PUBLIC_URL) => {
    for (const AGENTS of ['[{"name": "*"}]', '[{"name": "writer"}]']) {
      expect(settingsIn(settingsProblems({ PUBLIC_URL, OWNERS, AGENTS }, host))).toEqual([
        "AGENTS",
      ]);
    }
    expect(settingsProblems({ AGENTS: '[{"name": "*"}]' }, LOCAL)).toEqual([]);
  });

  it("gets a warning about what works but is not safe", () => {
    expect(warningsOf({ PUBLIC_URL: "http://host.lan:8787" }, "0.0.0.0").join()).toContain(
      "plain http",
    );
    expect(warningsOf({ PUBLIC_URL: "https://a.example" }, LOCAL).join()).toContain(
      "TRUSTED_PROXY",
    );
    expect(warningsOf({}, LOCAL)).toEqual([]);
  });

  it("gets a warning if nobody can create a session, and no example that would be refused", () => {
    const url = { PUBLIC_URL: "https://a.example" };
    const warningText = /^OWNERS is not set, so nobody can create sessions.*baton owner new/;
    expect(warningsOf(url, LOCAL).filter((warning) => warningText.test(warning))).toHaveLength(1);
    const server = { url: "http://localhost:1", local: null };
    const printed = (settings: Record<string, string>): string =>
      banner({ server, dataFolder: "d", settings, canCreate: canCreate(settings) });
    expect(printed({ ...url, AGENTS: "[]" })).not.toContain("POST");
    for (const more of [{ OWNERS }, { OPEN_CREATE: "true" }]) {
      expect(warningsOf({ ...url, ...more }, LOCAL).join()).not.toContain("nobody can create");
      expect(printed({ ...url, ...more })).toContain("-X POST https://a.example/sessions");
    }
    expect(printed({})).toContain("-X POST http://localhost:1/sessions");
  });
});

describe("a setting that does not do what was meant", () => {
  it("is a key that has expired", () => {
    const [owner] = JSON.parse(OWNERS) as [{ keys: [object] }];
    const keys = [{ ...owner.keys[0], name: "ci", expiresAt: "2026-01-01T00:00:00Z" }];
    const ended = JSON.stringify([{ ...owner, keys }]);
    const [warning] = settingsWarnings({ OWNERS: ended }, LOCAL, {}, Date.parse("2026-01-02"));
    expect(warning).toMatch(/^The key "ci" of ".+" in OWNERS has expired/);
    expect(settingsWarnings({ OWNERS: ended }, LOCAL, {}, Date.parse("2025-12-31"))).toEqual([]);
  });

  it.each([
    ["OWNER", "OWNERS"],
    ["AGENST", "AGENTS"],
    ["PUBLIC_URI", "PUBLIC_URL"],
    ["METRICS_TOKENS", "METRICS_TOKEN"],
  ])("is %s, where %s is meant", (given, meant) => {
    const environment = { [given]: "x", PATH: "x", LANG: "x", HOSTNAME: "x", LOGNAME: "x" };
    expect(settingsWarnings({}, LOCAL, environment, 0)).toEqual([
      `${given} is not a setting. Did you mean ${meant}?`,
    ]);
  });

  it("is a lifetime that contradicts the defaults, or a port that does not exist", () => {
    expect(settingsIn(settingsProblems({ MIN_TTL_MS: "99999999999" }, LOCAL))).toEqual([
      "MIN_TTL_MS",
    ]);
    expect(settingsIn(settingsProblems({ MAX_TTL_MS: "1" }, LOCAL))).toEqual(["MAX_TTL_MS"]);
    expect(settingsIn(settingsProblems({ MAX_TTL_MS: "60000" }, LOCAL))).toEqual([]);
    const WEBHOOK_ALLOW = "localhost:9000, 127.0.0.1:99999";
    expect(settingsIn(settingsProblems({ WEBHOOK_ALLOW }, LOCAL))).toEqual(["WEBHOOK_ALLOW"]);
  });

  it("is reported with one full stop, and without the hashes of keys", () => {
    const [problem = ""] = settingsProblems(
      { OWNERS: `[{"keyHash": "${"a".repeat(64)}"}]` },
      LOCAL,
    );
    expect(problem).not.toContain("..");
    expect(problem).not.toContain("aaaa");
  });
});
