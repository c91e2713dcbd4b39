/** Bindings and vars of wrangler.toml, and the settings that are parsed from them. */
import type { AgentEntry } from "./domain/jobs/agents";
import { LIMITS } from "./domain/limits";
import { ATTEMPT_DELAYS_MS, ATTEMPT_TIMEOUT_MS } from "./domain/notices/delivery";
import type { LimitName, Quota } from "./gateway/rate-limits";
import { DEFAULT_SETTINGS, type Settings } from "./domain/settings";

/** What is logged: nothing, only errors, or one line per request. Unset means errors. */
export type LogLevel = "off" | "errors" | "requests";

export interface Env {
  readonly SESSION: DurableObjectNamespace;
  /** The directory of link codes, and the counters of wrong codes. */
  readonly HANDOFFS: DurableObjectNamespace;
  readonly MISSES: DurableObjectNamespace;
  /** Files, under the id of the session that owns them. */
  readonly UPLOADS: R2Bucket;
  /** The jurisdiction of that bucket, if it has one: sessions can be stored there too. */
  readonly FILES_JURISDICTION?: string;
  /** Set by the entry of a self-hosted server, never by the operator. */
  readonly RUNTIME?: "self-hosted";
  /** Set by that entry for each request: the caller's address, or null if it is not known. */
  readonly CALLER?: { readonly address: string | null };
  readonly AGENT_QUEUE: DurableObjectNamespace;
  /** One object per endpoint that notices are posted to. */
  readonly NOTICE_ENDPOINT: DurableObjectNamespace;
  /** `host[:port]` list, separated by commas: private or plain http hosts that webhooks may call. */
  readonly WEBHOOK_ALLOW?: string;
  /** For development and tests: other delays before each attempt, in ms, separated by commas. */
  readonly WEBHOOK_DELAYS_MS?: string;
  /** `on` enables MCP Events, a draft, at /mcp (mcp/events). */
  readonly MCP_EVENTS?: string;
  /** How long to wait for the response to a webhook. */
  readonly WEBHOOK_TIMEOUT_MS?: string | number;
  /** One directory per owner, which lists the owner's sessions. */
  readonly OWNER_DIRECTORY: DurableObjectNamespace;
  /**
   * The site under /docs by path. It answers 503 while the site is not built; clients never see this
   * status.
   */
  readonly DOCS?: Pick<Fetcher, "fetch">;
  /** Self-hosted only: reports the machine's disk and memory (gateway/host.ts). */
  readonly HOST?: Pick<Fetcher, "fetch">;
  /** JSON list of the agents that can execute jobs: `{name, versions?, default?, keyHash?}`. */
  readonly AGENTS?: string | readonly AgentEntry[];
  /**
   * The platform's rate limiters, one per limit of gateway/rate-limits.ts. Without one, nothing is
   * limited.
   */
  readonly LIMIT_CREATE?: RateLimit;
  readonly LIMIT_WRONG_TOKEN?: RateLimit;
  readonly LIMIT_WRONG_CODE?: RateLimit;
  readonly LIMIT_RESUME?: RateLimit;
  readonly LIMIT_CHALLENGE?: RateLimit;
  /** JSON: the values of those limiters if they differ from the defaults; responses report them. */
  readonly RATE_LIMITS?: string | Partial<Record<LimitName, Partial<Quota>>>;
  /** Secret. JSON list of the owners and the hashes of their keys (domain/owners/owners.ts). */
  readonly OWNERS?: string;
  /**
   * JSON: the hash of the one-time console code that `npm start` creates
   * (domain/owners/console-entry.ts).
   */
  readonly CONSOLE_ENTRY?: string;
  /** `true`: without OWNERS, anyone can create sessions, even if PUBLIC_URL is not this machine. */
  readonly OPEN_CREATE?: string;
  /**
   * Secrets. JSON lists of `{id, key}`, newest first: keys that encrypt stored data, and keys that sign
   * documents (gateway/keyring.ts). Without them, the features that need them answer 501.
   */
  readonly SEALING_KEYS?: string;
  readonly SIGNING_KEYS?: string;
  /** Self-hosted only. JSON: the proxies that may name the caller's address (gateway/trusted-proxy.ts). */
  readonly TRUSTED_PROXY?: string;
  /** The header in which a proxy names the principal. Only that proxy may be able to set it. */
  readonly PRINCIPAL_HEADER?: string;
  /** JSON `{issuer, audience, header}`: the OpenID provider that identifies callers (gateway/oidc.ts). */
  readonly OIDC?: string;
  /** What every participant must be bound to: `network`, `principal`, or both, separated by a comma. */
  readonly REQUIRE_BIND?: string;
  /** The interval of ARCP heartbeats. */
  readonly ARCP_HEARTBEAT_MS?: string | number;
  /** The public origin of this server. Links are built from it, never from the Host header. */
  readonly PUBLIC_URL?: string;
  /** The name of this deployment that people know. A link shows it before it is opened. */
  readonly PUBLIC_NAME?: string;
  readonly DEFAULT_TTL_MS?: string | number;
  readonly MIN_TTL_MS?: string | number;
  readonly MAX_TTL_MS?: string | number;
  readonly RETENTION_MS?: string | number;
  /** The maximum number of open connections that listen to one session. */
  readonly MAX_LISTENERS?: string | number;
  readonly LOG?: LogLevel;
  /** Analytics Engine, if the deployment has it. */
  readonly METRICS?: AnalyticsEngineDataset;
  /** Secret, self-hosted only. The bearer token of /metrics. If it is unset, /metrics does not exist. */
  readonly METRICS_TOKEN?: string;
  /**
   * Self-hosted only, set with WEBHOOK_ALLOW or OIDC: also reaches private addresses, which `fetch` does
   * not. Only for the hosts that these settings name.
   */
  readonly PRIVATE_NETWORK?: Pick<Fetcher, "fetch">;
}

export const listenerLimit = (env: Env): number => wholeNumber(env.MAX_LISTENERS, LIMITS.listeners);

export const attemptTimeoutMs = (env: Pick<Env, "WEBHOOK_TIMEOUT_MS">): number =>
  wholeNumber(env.WEBHOOK_TIMEOUT_MS, ATTEMPT_TIMEOUT_MS);

/** The delay before each attempt at a delivery. */
export const attemptDelays = ({ WEBHOOK_DELAYS_MS }: Env): readonly number[] =>
  (WEBHOOK_DELAYS_MS ?? "") === ""
    ? ATTEMPT_DELAYS_MS
    : String(WEBHOOK_DELAYS_MS)
        .split(",")
        .map((delay) => wholeNumber(delay, 0));

export function settingsFrom(env: Env): Settings {
  return {
    defaultTtlMs: wholeNumber(env.DEFAULT_TTL_MS, DEFAULT_SETTINGS.defaultTtlMs),
    minTtlMs: wholeNumber(env.MIN_TTL_MS, DEFAULT_SETTINGS.minTtlMs),
    maxTtlMs: wholeNumber(env.MAX_TTL_MS, DEFAULT_SETTINGS.maxTtlMs),
    retentionMs: wholeNumber(env.RETENTION_MS, DEFAULT_SETTINGS.retentionMs),
  };
}

/** An invalid number is the operator's mistake: it is reported, not replaced by the default. */
function wholeNumber(value: string | number | undefined, fallback: number): number {
  if (value === undefined || value === "") return fallback;
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0) {
    throw new Error(`a number in wrangler.toml is not a whole one: ${value}`);
  }
  return number;
}
