/**
 * A hook of Claude Code by which a person decides, wherever they are: a tool call becomes a question
 * with a link, the answer comes back as the decision. Without an answer nothing is ever allowed.
 */
import { PersonInquiry, type InquiryOptions, type InquiryOutcome } from "../inquiry";
import { hashOf, sessionNameFor } from "../session-names";
import type { HookInput, HookOutput, ToolOutput } from "./hook-protocol";
import { questionFor, type Decision, type ToolQuestion } from "./tool-question";

/** How permission is asked. */
export interface PermissionHookOptions extends InquiryOptions {
  /**
   * Answers `defer` to `PreToolUse` at once instead of waiting: `claude -p` then ends, and asks again
   * when it is resumed. For `PermissionRequest` it has no meaning.
   */
  readonly defer?: boolean;
  /** How long to wait for the person; as long as the hook may run unless given. */
  readonly timeoutMs?: number;
}

/** A hook as the Claude Agent SDK takes it; `baton claude-hook` calls it too. */
export type PermissionHook = (
  input: HookInput,
  toolUseId?: string,
  options?: { readonly signal?: AbortSignal },
) => Promise<HookOutput>;

/**
 * Makes a hook that asks a person.
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
    // A call that has no id of its own cannot be told from the next one like it: an answer counts once.
    const again = event === "PermissionRequest";
    const inquiry = { ...question.inquiry, name };
    const asked = await PersonInquiry.ask(inquiry, options, { again, signal });
    const isDeferred = event === "PreToolUse" && options.defer === true;
    const outcome = isDeferred
      ? await asked.outcome({ signal })
      : await waitOrWithdraw(asked, options, again, signal);
    if (outcome.kind === "waiting")
      return isDeferred ? DEFERRED_OUTPUT : undecidedOutput(event, "in time");
    if (outcome.kind === "expired") return undecidedOutput(event, "before the link ended");
    // Closed first: were it closed after the answer is given, a kill between could give it twice.
    await asked.close(outcome, "The decision was given to Claude Code.");
    return decisionOutput(event, outcome, question);
  };
}

/** Nobody can ask for this answer again, so a link that is still open would be answered in vain. */
async function waitOrWithdraw(
  asked: PersonInquiry,
  { timeoutMs }: PermissionHookOptions,
  again: boolean,
  signal: AbortSignal | undefined,
): Promise<InquiryOutcome> {
  const withdraw = () => asked.close({ kind: "withdrawn" }, "Claude Code no longer waits.");
  try {
    const outcome = await asked.wait({ timeoutMs, signal });
    if (outcome.kind === "waiting" && again) await withdraw();
    return outcome;
  } catch (error) {
    if (signal?.aborted === true && again) await withdraw().catch(() => undefined);
    throw error;
  }
}

const nameFor = async (
  { session_id, hook_event_name, tool_name, tool_input }: HookInput,
  call: string | undefined,
  namespace: string | undefined,
): Promise<string> => {
  const isNamed = hook_event_name === "PreToolUse" && call !== undefined;
  const id = isNamed ? call : await hashOf(JSON.stringify([tool_name, tool_input]));
  return sessionNameFor("claude-hook", namespace, session_id, id);
};

const preToolUseOutput = (
  permissionDecision: ToolOutput["permissionDecision"],
  permissionDecisionReason: string,
  changed: Pick<ToolOutput, "updatedInput"> = {},
): HookOutput => ({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision,
    permissionDecisionReason,
    ...changed,
  },
});

const DEFERRED_OUTPUT = preToolUseOutput(
  "defer",
  "A person was asked. Resume this session once they have answered.",
);

/**
 * What a hook says where nobody decided: nothing to a permission request, so that Claude Code asks in
 * the terminal as it would have, and `ask` before a tool, which nobody can answer without a terminal.
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
  const changed = updatedInput === undefined ? {} : { updatedInput };
  const why = describeDecision(outcome, decision);
  if (event === "PreToolUse") return preToolUseOutput(isAllowed ? "allow" : "deny", why, changed);
  return {
    hookSpecificOutput: {
      hookEventName: event,
      decision: isAllowed ? { behavior: "allow", ...changed } : { behavior: "deny", message: why },
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
