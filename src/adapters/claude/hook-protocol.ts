/** What Claude Code gives its hooks on standard input, and takes from them, as far as it is used here. */

/** The input of a `PermissionRequest` or `PreToolUse` hook. */
export interface HookInput {
  /** The session of Claude Code. */
  readonly session_id: string;
  /** `PermissionRequest` or `PreToolUse`; others are left alone. */
  readonly hook_event_name: string;
  /** The tool that is to run. */
  readonly tool_name?: string;
  /** Its arguments. */
  readonly tool_input?: unknown;
  /** The call, where Claude Code names it. */
  readonly tool_use_id?: string;
  /** The folder that Claude Code works in. */
  readonly cwd?: string;
}

/** The output of such a hook; an empty one decides nothing. */
export interface HookOutput {
  /** The decision, in the words of the hook's event. */
  readonly hookSpecificOutput?: PermissionOutput | ToolOutput;
}

/** The decision of a `PermissionRequest` hook. */
export interface PermissionOutput {
  /** The event that is answered. */
  readonly hookEventName: "PermissionRequest";
  /** What the person decided. */
  readonly decision:
    | { readonly behavior: "allow"; readonly updatedInput?: Record<string, unknown> }
    | { readonly behavior: "deny"; readonly message: string };
}

/** The decision of a `PreToolUse` hook. */
export interface ToolOutput {
  /** The event that is answered. */
  readonly hookEventName: "PreToolUse";
  /** `defer` ends a run with `-p` until it is resumed; `ask` asks in the terminal. */
  readonly permissionDecision: "allow" | "deny" | "ask" | "defer";
  /** Why, for the model or the log. */
  readonly permissionDecisionReason: string;
  /** The arguments that the tool runs with instead. */
  readonly updatedInput?: Record<string, unknown>;
}
