/**
 * A hook of Claude Code that lets a person decide: a tool call becomes a question with a link, and
 * the answer becomes the decision. Without an answer nothing is ever allowed.
 */
import { PersonInquiry, type InquiryOptions, type InquiryOutcome } from "../inquiry";
import { hashOf, sessionNameFor } from "../session-names";
import type { HookInput, HookOutput, ToolOutput } from "./hook-protocol";
import { questionFor, type Decision, type ToolQuestion } from "./tool-question";

/** How to ask for permission. */
export interface PermissionHookOptions extends InquiryOptions {
  /**
   * Returns `defer` for `PreToolUse` at once instead of waiting: `claude -p` then ends, and asks
   * again when it is resumed. It has no effect on `PermissionRequest`.
   */
  readonly defer?: boolean;
  /** How long to wait for the person. Default: as long as the hook may run. */
  readonly timeoutMs?: number;
}

/** A hook for the Claude Agent SDK; `baton claude-hook` calls it too. */
export type PermissionHook = (
  input: HookInput,
  toolUseId?: string,
  options?: { readonly signal?: AbortSignal },
) => Promise<HookOutput>;

/**
 * Creates a hook that asks a person.
 *
 * @example
 * ```ts
 * import { query } from "@anthropic-ai/claude-agent-sdk";
 * import { Baton } from "@baton-sessions/baton/client";
 * import { permissionHook } from "@baton-sessions/baton/claude";
 *
 * const baton = Baton.connect("http://localhost:8787");
 * const hook = permissionHook({ baton, onLink: ({ url }) => console.log(`Please decide: ${url}`) });
 * const options = { hooks: { PermissionRequest: [{ hooks: [hook] }] } };
 * for await (const message of query({ prompt: "Clean up.", options })) console.log(message);
 * ```
 */
export function permissionHook(options: PermissionHookOptions): PermissionHook {
  return async (input, toolUseId, { signal } = {}) => {
    const event = input.hook_event_name;
    if (event !== "PermissionRequest" && event !== "PreToolUse") return {};
    const call = toolUseId ?? input.tool_use_id;
    const question = questionFor(input);
    const name = await nameFor(input, call, options.namespace);
    // A call without its own id cannot be told from the next identical one, so its answer counts
    // once.
    const repeat = event === "PermissionRequest";
    const inquiry = { ...question.inquiry, name };
    const personInquiry = await PersonInquiry.ask(inquiry, options, { repeat, signal });
    const isDeferred = event === "PreToolUse" && options.defer === true;
    const outcome = isDeferred
      ? await personInquiry.outcome({ signal })
      : await waitOrWithdraw(personInquiry, options, repeat, signal);
    if (outcome.kind === "waiting")
      return isDeferred ? DEFERRED_OUTPUT : undecidedOutput(event, "in time");
    if (outcome.kind === "expired") return undecidedOutput(event, "before the link ended");
    // Closed before the answer is returned: otherwise a kill in between could return the answer
    // twice.
    await personInquiry.close(outcome, "The decision was given to Claude Code.");
    return decisionOutput(event, outcome, question);
  };
}

/** This answer cannot be requested again, so a link that stays open would be answered in vain. */
async function waitOrWithdraw(
  personInquiry: PersonInquiry,
  { timeoutMs }: PermissionHookOptions,
  repeat: boolean,
  signal: AbortSignal | undefined,
): Promise<InquiryOutcome> {
  const withdraw = () => personInquiry.close({ kind: "withdrawn" }, "Claude Code no longer waits.");
  try {
    const outcome = await personInquiry.wait({ timeoutMs, signal });
    if (outcome.kind === "waiting" && repeat) await withdraw();
    return outcome;
  } catch (error) {
    if (signal?.aborted === true && repeat) await withdraw().catch(() => undefined);
    throw error;
  }
}

const nameFor = async (
  { session_id, hook_event_name, tool_name, tool_input }: HookInput,
  call: string | undefined,
  namespace: string | undefined,
): Promise<string> => {
  const hasCallId = hook_event_name === "PreToolUse" && call !== undefined;
  const id = hasCallId ? call : await hashOf(JSON.stringify([tool_name, tool_input]));
  return sessionNameFor("claude-hook", namespace, session_id, id);
};

const preToolUseOutput = (
  permissionDecision: ToolOutput["permissionDecision"],
  permissionDecisionReason: string,
  extra: Pick<ToolOutput, "updatedInput"> = {},
): HookOutput => ({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision,
    permissionDecisionReason,
    ...extra,
  },
});

const DEFERRED_OUTPUT = preToolUseOutput(
  "defer",
  "A person was asked. Resume this session once they have answered.",
);

/**
 * The output if there is no decision. For a permission request it is empty, so that Claude Code
 * asks in the terminal as usual. Before a tool it is `ask`, which cannot be answered without a
 * terminal.
 */
export const undecidedOutput = (event: string, why: string): HookOutput =>
  event === "PreToolUse" ? preToolUseOutput("ask", `Nobody decided ${why}.`) : {};

type FinalOutcome = Exclude<InquiryOutcome, { readonly kind: "waiting" | "expired" }>;

function decisionOutput(
  event: "PermissionRequest" | "PreToolUse",
  outcome: FinalOutcome,
  question: ToolQuestion,
): HookOutput {
  const decision = decisionOf(outcome, question);
  const { isAllowed, updatedInput } = decision;
  const extra = updatedInput === undefined ? {} : { updatedInput };
  const why = describeDecision(outcome, decision);
  if (event === "PreToolUse") return preToolUseOutput(isAllowed ? "allow" : "deny", why, extra);
  return {
    hookSpecificOutput: {
      hookEventName: event,
      decision: isAllowed ? { behavior: "allow", ...extra } : { behavior: "deny", message: why },
    },
  };
}

const decisionOf = (outcome: FinalOutcome, { read }: ToolQuestion): Decision =>
  outcome.kind === "answered"
    ? read(outcome.fields)
    : { isAllowed: false, comment: outcome.kind === "declined" ? outcome.reason : "" };

function describeDecision(outcome: FinalOutcome, { isAllowed, comment }: Decision): string {
  if (outcome.kind === "withdrawn") return "The question was withdrawn before anybody answered.";
  const verb =
    outcome.kind === "declined" ? "declined to decide" : isAllowed ? "allowed it" : "denied it";
  return comment === "" ? `${outcome.by} ${verb}.` : `${outcome.by} ${verb}: ${comment}`;
}
