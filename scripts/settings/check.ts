/**
 * Checks the settings of a self-hosted server before it starts: each alone, then together with the address
 * it listens on. An empty or wrong setting must never open access: the server does not start then.
 */
import { isLoopback } from "../../src/gateway/public-url.ts";
import { LOCAL_OWNER, parseOwners } from "../../src/domain/owners/owners.ts";
import { DEFAULT_SETTINGS } from "../../src/domain/settings.ts";
import { keylessAgent, strayAgentProblem } from "./agents.ts";
import { CHECKS } from "./checks.ts";
import { nearNames } from "./near-names.ts";

type Settings = Readonly<Record<string, string>>;

/** A text that follows the setting's name. */
interface Problem {
  readonly setting: string;
  readonly problem: string;
}

const LOOPBACK_HOSTS = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/;

/** True if any caller can create a session. */
export const canCreate = ({ OWNERS, OPEN_CREATE, PUBLIC_URL }: Settings): boolean =>
  OWNERS !== undefined ||
  OPEN_CREATE === "true" ||
  PUBLIC_URL === undefined ||
  isLoopback({ PUBLIC_URL });

/** The problems that prevent a start. */
export function settingsProblems(settings: Settings, host: string): readonly string[] {
  const single = Object.entries(settings).flatMap(([setting, value]): readonly Problem[] => {
    const problem =
      value === "" ? "is empty. Set a value, or leave it out" : CHECKS[setting]?.rule(value);
    return problem === null || problem === undefined ? [] : [{ setting, problem }];
  });
  const wrong = new Set(single.map(({ setting }) => setting));
  const together = [
    ...ttlProblems(settings),
    ...callerProblems(settings),
    ...agentProblems(settings, host),
  ].filter(({ setting }) => !wrong.has(setting));
  const exposed = isExposed(settings, host) ? exposureProblems(settings, host, wrong) : [];
  return [...single, ...together, ...exposed].map((one) => describe(one, settings));
}

/** True if other machines can reach the server. A public address means that a proxy is in front of it. */
export const isExposed = (settings: Settings, host: string): boolean =>
  !LOOPBACK_HOSTS.test(host) ||
  (settings["PUBLIC_URL"] !== undefined && !isLoopback({ PUBLIC_URL: settings["PUBLIC_URL"] }));

function exposureProblems(
  settings: Settings,
  host: string,
  wrong: ReadonlySet<string>,
): readonly Problem[] {
  const { AGENTS, OWNERS, OPEN_CREATE, PUBLIC_URL } = settings;
  const isFarther = !LOOPBACK_HOSTS.test(host);
  const problems: Problem[] = [];
  const needs = (setting: string, problem: string): void => {
    if (!wrong.has(setting)) problems.push({ setting, problem });
  };
  if (isFarther && PUBLIC_URL === undefined) {
    needs("PUBLIC_URL", `is required with --host ${host}, because links begin with it`);
  }
  if (isFarther && OWNERS === undefined && OPEN_CREATE !== "true") {
    const problem = `is required with --host ${host}. It lists who can create sessions. To admit everybody, set OPEN_CREATE=true`;
    needs("OWNERS", problem);
  }
  if (isFarther && AGENTS === undefined) {
    const problem = `is required with --host ${host}. It lists the agents and the hashes of their keys. Set [] for no agents`;
    needs("AGENTS", problem);
  }
  const keyless = AGENTS === undefined || wrong.has("AGENTS") ? undefined : keylessAgent(AGENTS);
  if (keyless !== undefined) {
    needs("AGENTS", `has no keyHash for "${keyless}": anybody could claim its jobs`);
  }
  return problems;
}

function ttlProblems(settings: Settings): readonly Problem[] {
  const { minTtlMs, defaultTtlMs, maxTtlMs } = DEFAULT_SETTINGS;
  const min = Number(settings["MIN_TTL_MS"] ?? minTtlMs);
  const usual = Number(settings["DEFAULT_TTL_MS"] ?? defaultTtlMs);
  const max = Number(settings["MAX_TTL_MS"] ?? maxTtlMs);
  if (min > max) {
    const [setting, problem] =
      settings["MIN_TTL_MS"] === undefined
        ? ["MAX_TTL_MS", `must not be less than MIN_TTL_MS (${min})`]
        : ["MIN_TTL_MS", `must not be more than MAX_TTL_MS (${max})`];
    return [{ setting, problem }];
  }
  // Only the default may be reduced to the maximum. A value set by the operator is intended.
  return settings["DEFAULT_TTL_MS"] !== undefined && (usual < min || usual > max)
    ? [{ setting: "DEFAULT_TTL_MS", problem: "must be between MIN_TTL_MS and MAX_TTL_MS" }]
    : [];
}

/** Only the proxy may name the caller. */
function callerProblems(settings: Settings): readonly Problem[] {
  const { PRINCIPAL_HEADER, TRUSTED_PROXY, REQUIRE_BIND = "" } = settings;
  if (PRINCIPAL_HEADER !== undefined && TRUSTED_PROXY === undefined) {
    const problem = "needs TRUSTED_PROXY. Otherwise any caller could choose a name";
    return [{ setting: "PRINCIPAL_HEADER", problem }];
  }
  return REQUIRE_BIND.includes("principal") && PRINCIPAL_HEADER === undefined
    ? [{ setting: "REQUIRE_BIND", problem: "requires principals, which need PRINCIPAL_HEADER" }]
    : [];
}

/** A local server without a list has one owner, which the start creates. */
function agentProblems(settings: Settings, host: string): readonly Problem[] {
  const { AGENTS, OWNERS } = settings;
  const listed = OWNERS === undefined ? null : parseOwners(OWNERS);
  // Problems with the owners are reported separately.
  if (AGENTS === undefined || listed?.ok === false) return [];
  const defaultOwners = isExposed(settings, host) ? [] : [LOCAL_OWNER];
  const owners = listed === null ? defaultOwners : listed.value.map(({ name }) => name);
  const problem = strayAgentProblem(AGENTS, owners);
  return problem === null ? [] : [{ setting: "AGENTS", problem }];
}

const MAX_SHOWN = 200;

function describe({ setting, problem }: Problem, settings: Settings): string {
  const { example = "", isSecret } = CHECKS[setting] ?? {};
  const value = settings[setting];
  const shown =
    value === undefined
      ? "not set"
      : isSecret
        ? `a secret of ${value.length} characters (not shown)`
        : JSON.stringify(value.slice(0, MAX_SHOWN));
  return `${setting} ${problem.replace(/\.$/, "")}.\n  It is:   ${shown}\n  Example: ${example}`;
}

/** Warnings about valid settings. */
export function settingsWarnings(
  settings: Settings,
  host: string,
  environment: NodeJS.ProcessEnv,
  now: number,
): readonly string[] {
  return [
    ...exposureWarnings(settings, host),
    ...(canCreate(settings)
      ? []
      : [
          "OWNERS is not set, so nobody can create sessions or sign in to the console. `baton owner new <name>` prints a new key and its entry for OWNERS.",
        ]),
    ...endedKeys(settings["OWNERS"], now).map(
      (key) => `The key ${key} in OWNERS has expired. Requests with it are refused.`,
    ),
    ...nearNames(environment).map(
      ([given, meant]) => `${given} is not a setting. Did you mean ${meant}?`,
    ),
  ];
}

function endedKeys(list: string | undefined, now: number): readonly string[] {
  const owners = list === undefined ? null : parseOwners(list);
  return owners?.ok !== true
    ? []
    : owners.value.flatMap((owner) =>
        owner.keys
          .filter(({ expiresAt }) => expiresAt !== null && expiresAt <= now)
          .map(({ name }) => `"${name}" of "${owner.name}"`),
      );
}

function exposureWarnings(settings: Settings, host: string): readonly string[] {
  const { PUBLIC_URL, TRUSTED_PROXY } = settings;
  if (PUBLIC_URL === undefined || isLoopback({ PUBLIC_URL })) return [];
  if (PUBLIC_URL.startsWith("http:")) {
    return [
      "PUBLIC_URL is plain http. Everybody on the network path can read tokens, links and cookies. Use it only in a network that you trust.",
    ];
  }
  return TRUSTED_PROXY === undefined && LOOPBACK_HOSTS.test(host)
    ? [
        "TRUSTED_PROXY is not set. Behind a proxy, the server cannot distinguish callers, and rate limits do not count them.",
      ]
    : [];
}
