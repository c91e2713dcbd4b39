/**
 * The rule of each setting of a self-hosted server. A rule returns the problem, as a text that follows
 * "NAME ", or null. Every string in src/env.ts has a rule here; a test fails if one is missing.
 */
import { parseConsoleEntry } from "../../src/domain/owners/console-entry.ts";
import { parseOidc } from "../../src/gateway/oidc.ts";
import { parseOwners } from "../../src/domain/owners/owners.ts";
import { parseKeys, type KeySetting } from "../../src/gateway/keyring.ts";
import { publicOrigin } from "../../src/gateway/public-url.ts";
import { firstLocation } from "../../src/domain/session/location.ts";
import { RATE_LIMITS } from "../../src/gateway/rate-limits.ts";
import { parseTrustedProxy } from "../../src/gateway/trusted-proxy.ts";
import { agentsProblem } from "./agents.ts";
import { jsonIn } from "./json.ts";

type Rule = (value: string) => string | null;

interface Check {
  readonly rule: Rule;
  readonly example: string;
  /** Never printed. */
  readonly isSecret?: true;
}

const oneOf =
  (...words: readonly string[]): Rule =>
  (value) =>
    words.includes(value) ? null : `must be ${words.map((word) => `"${word}"`).join(" or ")}`;

const wholeNumber =
  (min: number): Rule =>
  (value) =>
    /^\d{1,15}$/.test(value) && Number(value) >= min
      ? null
      : `must be a whole number of at least ${min}`;

const matching =
  (pattern: RegExp, problem: string): Rule =>
  (value) =>
    pattern.test(value) ? null : problem;

const keys =
  (setting: KeySetting): Rule =>
  (value) => {
    const read = parseKeys(setting, value);
    return read.ok ? null : read.error.replace(`${setting} `, "");
  };

function ownersProblem(value: string): string | null {
  const read = parseOwners(value);
  if (!read.ok) return read.error.replace(/^OWNERS /, "").replace(/^OWNERS\[/, "is wrong: [");
  if (read.value.some((owner) => firstLocation(owner) !== null)) {
    return "names a jurisdiction or a locationHint, which only Cloudflare supports";
  }
  return read.value.length > 0
    ? null
    : "lists no owner. Leave the setting out if there are no owners";
}

function trustedProxyProblem(value: string): string | null {
  const read = parseTrustedProxy(value);
  return read.ok ? null : `is wrong: ${read.error}`;
}

function rateLimitsProblem(value: string): string | null {
  const given = jsonIn(value);
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    return "must be a JSON object";
  }
  for (const [name, quota] of Object.entries(given)) {
    if (!Object.hasOwn(RATE_LIMITS, name)) {
      return `has an unknown limit "${name}". The limits are ${Object.keys(RATE_LIMITS).join(", ")}`;
    }
    const { limit = 1, period = 60, ...rest } = (quota ?? {}) as Record<string, unknown>;
    const isQuota = Number.isSafeInteger(limit) && Number(limit) >= 1;
    if (!isQuota || (period !== 10 && period !== 60) || Object.keys(rest).length > 0) {
      return `needs for "${name}" a limit of at least 1, and a period of 10 or 60`;
    }
  }
  return null;
}

const DAY_MS = "86400000";
const HEADER = /^[A-Za-z][A-Za-z0-9-]*$/;
const HOSTS =
  /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?(?:\s*,\s*(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?)*$/i;
const isPort = ([, port]: RegExpMatchArray): boolean => Number(port) >= 1 && Number(port) <= 65_535;
const KEYS_EXAMPLE = '[{"id": "2026-11", "key": "<32 random bytes in base64url>"}]';

export const CHECKS: Readonly<Record<string, Check>> = {
  PUBLIC_URL: {
    rule: (value) =>
      publicOrigin({ PUBLIC_URL: value }) === null
        ? "must be an http or https address without a path"
        : null,
    example: "https://baton.example",
  },
  OWNERS: {
    rule: ownersProblem,
    // Hashes are not keys, but they do not belong in a log.
    isSecret: true,
    example:
      '[{"name": "acme", "keys": [{"name": "ci", "keyHash": "<SHA-256 in hex>", "rights": ["create"]}]}]',
  },
  CONSOLE_ENTRY: {
    rule: (value) =>
      parseConsoleEntry(value) === null
        ? "must be JSON with codeHash, keyHash and expiresAt"
        : null,
    example:
      '{"codeHash": "<SHA-256 in hex>", "keyHash": "<of a key in OWNERS>", "expiresAt": "2027-01-31T00:00:00Z"}',
  },
  CREATE_KEYS: {
    rule: () => "is no longer used. List owners in OWNERS instead",
    example: "OWNERS, as docs/owners.md shows",
    isSecret: true,
  },
  OPEN_CREATE: { rule: oneOf("true", "false"), example: "true" },
  AGENTS: {
    rule: agentsProblem,
    example: '[{"name": "writer", "keyHash": "<SHA-256 of its key, in hex>"}]',
  },
  TRUSTED_PROXY: {
    rule: trustedProxyProblem,
    example: '{"from": ["127.0.0.1"], "header": "X-Forwarded-For"}',
  },
  PRINCIPAL_HEADER: {
    rule: matching(HEADER, "must be the name of a header"),
    example: "X-Authenticated-User",
  },
  OIDC: {
    rule: (value) => {
      const parsed = parseOidc(value);
      return parsed.ok ? null : parsed.error.replace(/^OIDC /, "").replace(/\. Write .*$/, "");
    },
    example:
      '{"issuer": "https://login.example", "audience": "baton", "header": "X-Identity-Token"}',
  },
  REQUIRE_BIND: {
    rule: matching(
      /^(?:network|principal|network,principal|principal,network)$/,
      'must be "network", "principal" or "network,principal"',
    ),
    example: "network",
  },
  FILES_JURISDICTION: {
    rule: () => "works only on Cloudflare",
    example: "eu, in wrangler.toml",
  },
  RATE_LIMITS: { rule: rateLimitsProblem, example: '{"create": {"limit": 20}}' },
  LOG: { rule: oneOf("off", "errors", "requests"), example: "requests" },
  METRICS_TOKEN: {
    rule: matching(/^\S{16,}$/, "must be at least 16 characters without spaces"),
    example: "the output of `openssl rand -hex 24`",
    isSecret: true,
  },
  SEALING_KEYS: { rule: keys("SEALING_KEYS"), example: KEYS_EXAMPLE, isSecret: true },
  SIGNING_KEYS: { rule: keys("SIGNING_KEYS"), example: KEYS_EXAMPLE, isSecret: true },
  DEFAULT_TTL_MS: { rule: wholeNumber(1), example: DAY_MS },
  MIN_TTL_MS: { rule: wholeNumber(1), example: "1000" },
  MAX_TTL_MS: { rule: wholeNumber(1), example: DAY_MS },
  RETENTION_MS: { rule: wholeNumber(0), example: DAY_MS },
  MAX_LISTENERS: { rule: wholeNumber(1), example: "1000" },
  WEBHOOK_TIMEOUT_MS: { rule: wholeNumber(1), example: "15000" },
  WEBHOOK_DELAYS_MS: {
    rule: (text) =>
      text.split(",").every((delay) => /^\d{1,12}$/.test(delay))
        ? null
        : "must be whole numbers of milliseconds, separated by commas",
    example: "0,5000,300000",
  },
  ARCP_HEARTBEAT_MS: { rule: wholeNumber(1), example: "30000" },
  WEBHOOK_ALLOW: {
    rule: (value) =>
      HOSTS.test(value) && [...value.matchAll(/:(\d+)(?=\s*(?:,|$))/g)].every(isPort)
        ? null
        : "must be a comma-separated list of host or host:port",
    example: "localhost:9000, hooks.lan",
  },
  PUBLIC_NAME: {
    rule: matching(/^[^\p{C}]{1,100}$/u, "must be 1 to 100 characters on one line"),
    example: "Acme Claims",
  },
  MCP_EVENTS: { rule: oneOf("on", "off"), example: "on" },
};
