/**
 * The settings of a server of one's own, checked before it starts: each by itself, then together with
 * where it listens. Nothing is open because a setting is empty or wrong: then it does not start.
 */
import { isLoopback } from "../../src/gateway/public-url.ts";
import { LOCAL_OWNER, parseOwners } from "../../src/domain/owners/owners.ts";
import { keylessAgent, strayAgentProblem } from "./agents.ts";
import { CHECKS } from "./checks.ts";

type Settings = Readonly<Record<string, string>>;

/** In words that follow the setting's name. */
interface Problem {
  readonly setting: string;
  readonly problem: string;
}

const LOOPBACK_HOSTS = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/;

/** What is to be said before it does not start; empty where all is well. */
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

/** Can anybody but the people on this machine reach it? A public address says so too: of a proxy. */
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
  const [least, usual, most] = ["MIN_TTL_MS", "DEFAULT_TTL_MS", "MAX_TTL_MS"].map((name) =>
    settings[name] === undefined ? undefined : Number(settings[name]),
  );
  if (least !== undefined && most !== undefined && least > most) {
    return [{ setting: "MIN_TTL_MS", problem: "must not be more than MAX_TTL_MS" }];
  }
  const isOutside =
    usual !== undefined && ((least ?? usual) > usual || usual > (most ?? Number.MAX_SAFE_INTEGER));
  return isOutside
    ? [{ setting: "DEFAULT_TTL_MS", problem: "must be between MIN_TTL_MS and MAX_TTL_MS" }]
    : [];
}

/** Who calls is the proxy's word: nobody else's may be taken for it. */
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

/** On one's own machine without a list there is one owner, whom the start makes. */
function agentProblems(settings: Settings, host: string): readonly Problem[] {
  const { AGENTS, OWNERS } = settings;
  const listed = OWNERS === undefined ? null : parseOwners(OWNERS);
  // What is wrong with the owners is said by itself.
  if (AGENTS === undefined || listed?.ok === false) return [];
  const made = isExposed(settings, host) ? [] : [LOCAL_OWNER];
  const owners = listed === null ? made : listed.value.map(({ name }) => name);
  const problem = strayAgentProblem(AGENTS, owners);
  return problem === null ? [] : [{ setting: "AGENTS", problem }];
}

const MOST_SHOWN = 200;

function describe({ setting, problem }: Problem, settings: Settings): string {
  const { example = "", isSecret } = CHECKS[setting] ?? {};
  const value = settings[setting];
  const shown =
    value === undefined
      ? "not set"
      : isSecret
        ? `a secret of ${value.length} characters (not shown)`
        : JSON.stringify(value.slice(0, MOST_SHOWN));
  return `${setting} ${problem}.\n  It is:   ${shown}\n  Example: ${example}`;
}

/** What works, and is worth a sentence at start. */
export function settingsWarnings(settings: Settings, host: string): readonly string[] {
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
