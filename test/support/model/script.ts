/**
 * A plan as text, one step per line, that can be read, changed and run again. `parseScript` is the inverse of
 * `printScript`. Lines that start with # are comments.
 *
 *   session approvals=1 required=name ttl=3600000
 *   participant fill
 *   0 setFields 12 key
 *   1 approve 3 if-seen answer-lost retry-later
 *   wait 30 alarm
 *   fault kill at=1200 amount=0
 *
 * `at-once` in the first line: all participants act at the same time; `observed`: it runs with observers.
 */
import { OPERATIONS, type OperationName, type Scope } from "./operations.ts";
import {
  ACTIONS,
  FATES,
  FAULTS,
  type Action,
  type Condition,
  type Fate,
  type Plan,
  type PlannedWay,
  type Retry,
  type SendStep,
  type Step,
} from "./plan.ts";

const dashed = (name: string): string => name.replaceAll(" ", "-");
const CONDITION_WORDS = { "if-seen": "seen", "if-outdated": "outdated" } as const;
const RETRY_WORDS = { "retry-now": "now", "retry-later": "later" } as const;
const FATE_WORDS = Object.fromEntries(FATES.map((fate) => [dashed(fate), fate]));
const WAY_WORDS = { http: "http", mcp: "mcp", socket: "socket" } as const;

export function printScript(plan: Plan): string {
  const { settings, participants, steps } = plan;
  const { approvals, required, ttlMs, isPurged } = settings;
  const session = [
    "session",
    `approvals=${approvals}`,
    ...(required === null ? [] : [`required=${required}`]),
    `ttl=${ttlMs}`,
    ...(isPurged ? ["purged"] : []),
    ...(plan.isConcurrent ? ["at-once"] : []),
    ...(plan.isObserved === true ? ["observed"] : []),
  ];
  const joined = participants.map((scopes) => ["participant", ...scopes].join(" "));
  return `${[session.join(" "), ...joined, ...steps.map(printStep)].join("\n")}\n`;
}

function printStep(step: Step): string {
  if (step.kind === "wait") return `wait ${step.minutes}${step.alarm ? " alarm" : ""}`;
  if (step.kind === "fault") {
    return `fault ${dashed(step.fault)} at=${step.atMs} amount=${step.amount}`;
  }
  const { who, action, operation, arg, isKeyed, condition, fate, retry, way, pauseMs } = step;
  return [
    who,
    ...(action === "send" ? [] : [action]),
    operation,
    arg,
    ...(isKeyed ? ["key"] : []),
    ...(condition === "none" ? [] : [`if-${condition}`]),
    ...(fate === "whole" ? [] : [dashed(fate)]),
    ...(retry === "never" ? [] : [`retry-${retry}`]),
    ...(way === "http" ? [] : [way]),
    ...(pauseMs === 0 ? [] : [`pause=${pauseMs}`]),
  ].join(" ");
}

/** Throws if a line is not understood, and says which. */
export function parseScript(text: string): Plan {
  let settings: Plan["settings"] | null = null;
  let options: readonly string[] = [];
  const participants: (readonly Scope[])[] = [];
  const steps: Step[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const words = line.trim().split(/\s+/);
    const [first = "", ...rest] = words;
    if (first === "" || first.startsWith("#")) continue;
    if (first === "session") {
      const values = valuesIn(rest);
      options = rest;
      settings = {
        approvals: Number(values["approvals"] ?? 0),
        required: values["required"] ?? null,
        ttlMs: Number(values["ttl"] ?? 3_600_000),
        isPurged: rest.includes("purged"),
      };
    } else if (first === "participant") participants.push(rest as Scope[]);
    else steps.push(parseStep(words, index + 1));
  }
  if (settings === null) throw new Error("the script has no line that starts with session");
  const isConcurrent = options.includes("at-once");
  const observed = options.includes("observed") ? ({ isObserved: true } as const) : {};
  return { settings, participants, steps, isConcurrent, ...observed };
}

const valuesIn = (words: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    words.filter((word) => word.includes("=")).map((word) => word.split("=") as [string, string]),
  );

function parseStep(words: readonly string[], line: number): Step {
  const [first = "", ...rest] = words;
  const values = valuesIn(rest);
  if (first === "wait") {
    return { kind: "wait", minutes: Number(rest[0]), alarm: rest.includes("alarm") };
  }
  if (first === "fault") {
    const fault = FAULTS.find((name) => dashed(name) === rest[0]);
    if (fault === undefined) throw new Error(`line ${line}: there is no fault ${rest[0]}`);
    const [atMs, amount] = [Number(values["at"] ?? 0), Number(values["amount"] ?? 0)];
    return { kind: "fault", fault, atMs, amount };
  }
  return { ...sendStep(first, rest, line), pauseMs: Number(values["pause"] ?? 0) };
}

function sendStep(who: string, rest: readonly string[], line: number): Omit<SendStep, "pauseMs"> {
  const action = ACTIONS.find((name) => name === rest[0]) ?? ("send" as Action);
  const [operation = "", arg = "0", ...options] = action === rest[0] ? rest.slice(1) : rest;
  if (!(operation in OPERATIONS)) {
    throw new Error(`line ${line}: there is no operation ${operation}`);
  }
  const pick = <T extends string>(words: Readonly<Record<string, T>>, otherwise: T): T =>
    words[options.find((word) => word in words) ?? ""] ?? otherwise;
  return {
    kind: "send",
    who: Number(who),
    action,
    operation: operation as OperationName,
    arg: Number(arg),
    isKeyed: options.includes("key"),
    condition: pick<Condition>(CONDITION_WORDS, "none"),
    fate: pick<Fate>(FATE_WORDS, "whole"),
    retry: pick<Retry>(RETRY_WORDS, "never"),
    way: pick<PlannedWay>(WAY_WORDS, "http"),
  };
}
