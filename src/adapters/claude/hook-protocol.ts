/** The input and output of Claude Code's hooks, as far as they are used here. */

/** The input of a `PermissionRequest` or `PreToolUse` hook. */
export interface HookInput {
  /** The session of Claude Code. */
  readonly session_id: string;
  /** `PermissionRequest` or `PreToolUse`; other events are ignored. */
  readonly hook_event_name: string;
  /** The tool to run. */
  readonly tool_name?: string;
  /** Its arguments. */
  readonly tool_input?: unknown;
  /** The id of the call, if Claude Code provides it. */
  readonly tool_use_id?: string;
  /** The working folder of Claude Code. */
  readonly cwd?: string;
}

/** The output of such a hook; an empty output decides nothing. */
export interface HookOutput {
  /** The decision, in the format of the hook's event. */
  readonly hookSpecificOutput?: PermissionOutput | ToolOutput;
}

/** The decision of a `PermissionRequest` hook. */
export interface PermissionOutput {
  /** The event that this responds to. */
  readonly hookEventName: "PermissionRequest";
  /** What the person decided. */
  readonly decision:
    | { readonly behavior: "allow"; readonly updatedInput?: Record<string, unknown> }
    | { readonly behavior: "deny"; readonly message: string };
}

/** The decision of a `PreToolUse` hook. */
export interface ToolOutput {
  /** The event that this responds to. */
  readonly hookEventName: "PreToolUse";
  /** `defer` ends a run with `-p` until it is resumed; `ask` asks in the terminal. */
  readonly permissionDecision: "allow" | "deny" | "ask" | "defer";
  /** The reason, for the model or the log. */
  readonly permissionDecisionReason: string;
  /** The arguments that replace the original ones. */
  readonly updatedInput?: Record<string, unknown>;
}
