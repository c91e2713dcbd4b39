/** Bindings and vars of wrangler.toml, and what is read out of them. */
import type { AgentEntry } from "./domain/jobs/agents";
import { LIMITS } from "./domain/limits";
import { ATTEMPT_DELAYS_MS, ATTEMPT_TIMEOUT_MS } from "./domain/notices/delivery";
import type { LimitName, Quota } from "./gateway/rate-limits";
import { DEFAULT_SETTINGS, type Settings } from "./domain/settings";

/** What is logged: nothing, what went wrong, or a line for every request. Unset means errors. */
export type LogLevel = "off" | "errors" | "requests";

export interface Env {
  readonly SESSION: DurableObjectNamespace;
  /** Short codes, and the misses of those who guess them. */
  readonly HANDOFFS: DurableObjectNamespace;
  readonly MISSES: DurableObjectNamespace;
  /** Files, under the id of the session that owns them. */
  readonly UPLOADS: R2Bucket;
  /** The jurisdiction of that bucket, where it is in one: sessions can be kept there too. */
  readonly FILES_JURISDICTION?: string;
  /** Set by the entry of a server of one's own, never by who deploys. */
  readonly RUNTIME?: "self-hosted";
  /** Set by that entry with each request: where it comes from; the address is null if that is not known. */
  readonly CALLER?: { readonly address: string | null };
  readonly AGENT_QUEUE: DurableObjectNamespace;
  /** One object per endpoint that notices are posted to. */
  readonly NOTICE_ENDPOINT: DurableObjectNamespace;
  /** `host[:port]` that webhooks may go to although private or plain http, separated by commas. */
  readonly WEBHOOK_ALLOW?: string;
  /** For development and tests: other delays before each attempt, separated by commas, in ms. */
  readonly WEBHOOK_DELAYS_MS?: string;
  /** `on`: MCP Events, a draft, is offered over /mcp (mcp/events). */
  readonly MCP_EVENTS?: string;
  /** How long an answer to a webhook is waited for. */
  readonly WEBHOOK_TIMEOUT_MS?: string | number;
  /** What each owner's sessions are listed in. */
  readonly OWNER_DIRECTORY: DurableObjectNamespace;
  /** The site under /docs by path; answers 503 while it is not built, which nobody outside sees. */
  readonly DOCS?: Pick<Fetcher, "fetch">;
  /** Self-hosted only: what the machine says of its disk and memory (gateway/host.ts). */
  readonly HOST?: Pick<Fetcher, "fetch">;
  /** JSON list of the agents that jobs can be given to: `{name, versions?, default?, keyHash?}`. */
  readonly AGENTS?: string | readonly AgentEntry[];
  /** Counters of the platform, each for one limit of gateway/rate-limits.ts; without one nothing is limited. */
  readonly LIMIT_CREATE?: RateLimit;
  readonly LIMIT_WRONG_TOKEN?: RateLimit;
  readonly LIMIT_WRONG_CODE?: RateLimit;
  readonly LIMIT_RESUME?: RateLimit;
  readonly LIMIT_CHALLENGE?: RateLimit;
  /** JSON: what those counters allow, for the answers to say, where it is not the default. */
  readonly RATE_LIMITS?: string | Partial<Record<LimitName, Partial<Quota>>>;
  /** Secret. JSON list of who runs agents here, with the hashes of their keys: domain/owners/owners.ts. */
  readonly OWNERS?: string;
  /** JSON: the hash of a code that opens the console once, as `npm start` makes it (domain/owners/console-entry.ts). */
  readonly CONSOLE_ENTRY?: string;
  /** `true`: without OWNERS anybody may begin sessions, also where PUBLIC_URL is not this machine. */
  readonly OPEN_CREATE?: string;
  /**
   * Secrets. JSON lists of `{id, key}`, newest first: what the server encrypts for itself, and what it
   * signs for others (gateway/keyring.ts). Without them what needs them answers 501.
   */
  readonly SEALING_KEYS?: string;
  readonly SIGNING_KEYS?: string;
  /** Self-hosted only. JSON: whose word counts for who calls (gateway/trusted-proxy.ts). */
  readonly TRUSTED_PROXY?: string;
  /** Header in which a proxy in front says who a request is from. Only that proxy may be able to set it. */
  readonly PRINCIPAL_HEADER?: string;
  /** JSON `{issuer, audience, header}`: whose signed tokens say who sends a request (gateway/oidc.ts). */
  readonly OIDC?: string;
  /** What every participant must be bound to: `network`, `principal`, or both with a comma. */
  readonly REQUIRE_BIND?: string;
  /** How often ARCP connections are asked whether they still live. */
  readonly ARCP_HEARTBEAT_MS?: string | number;
  /** Where this server is reached from outside; links are made of it, never of the Host header. */
  readonly PUBLIC_URL?: string;
  /** Who this deployment is, as people know them; a link names it before it is opened. */
  readonly PUBLIC_NAME?: string;
  readonly DEFAULT_TTL_MS?: string | number;
  readonly MIN_TTL_MS?: string | number;
  readonly MAX_TTL_MS?: string | number;
  readonly RETENTION_MS?: string | number;
  /** Open connections that may listen to one session. */
  readonly MAX_LISTENERS?: string | number;
  readonly LOG?: LogLevel;
  /** Analytics Engine, where the deployment has it. */
  readonly METRICS?: AnalyticsEngineDataset;
  /** Secret. Who sends it as bearer may read /metrics; unset, there is no such page. Self-hosted only. */
  readonly METRICS_TOKEN?: string;
  /** Self-hosted only, where WEBHOOK_ALLOW or OIDC is set: reaches this machine too, for what they name. `fetch` alone does not. */
  readonly PRIVATE_NETWORK?: Pick<Fetcher, "fetch">;
}

export const listenerLimit = (env: Env): number => wholeNumber(env.MAX_LISTENERS, LIMITS.listeners);

export const attemptTimeoutMs = (env: Pick<Env, "WEBHOOK_TIMEOUT_MS">): number =>
  wholeNumber(env.WEBHOOK_TIMEOUT_MS, ATTEMPT_TIMEOUT_MS);

/** Before each attempt at a delivery. */
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

/** A var that is not a number is a mistake of whoever deploys: said so, not guessed around. */
function wholeNumber(value: string | number | undefined, fallback: number): number {
  if (value === undefined || value === "") return fallback;
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0) {
    throw new Error(`a number in wrangler.toml is not a whole one: ${value}`);
  }
  return number;
}
