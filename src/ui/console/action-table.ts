/**
 * The actions of the console, as data: the right that the key needs, the operation whose transitions say
 * in which states it is allowed, and whether it is irreversible.
 */
import type { Right } from "../../domain/owners/owners";
import { OPERATIONS, type Operation } from "../../domain/session/operation";
import type { SessionView } from "../../domain/session/view";
import type { Holder } from "../../gateway/owner-keys";

interface ActionRule {
  readonly right: Right;
  readonly operation: Operation;
  readonly isForGood?: true;
}

export const ACTIONS = {
  open: { right: "open", operation: "handoff" },
  pause: { right: "manage", operation: "pause" },
  unpause: { right: "manage", operation: "unpause" },
  extend: { right: "manage", operation: "extend" },
  labels: { right: "manage", operation: "setLabels" },
  revoke: { right: "manage", operation: "revoke" },
  cancel: { right: "manage", operation: "cancel", isForGood: true },
  purge: { right: "manage", operation: "purge", isForGood: true },
} as const satisfies Readonly<Record<string, ActionRule>>;

export type ActionName = keyof typeof ACTIONS;
export const isAction = (name: string): name is ActionName => Object.hasOwn(ACTIONS, name);

/** Whether the console offers the action in this state. The session itself decides. */
export function isAllowedInState(name: ActionName, session: SessionView): boolean {
  if (name === "pause" && session.paused) return false;
  if (name === "unpause" && !session.paused) return false;
  const { transitions } = OPERATIONS[ACTIONS[name].operation];
  return (transitions as Partial<Record<string, string>>)[session.state] !== undefined;
}

export const canPerform = (name: ActionName, session: SessionView, { key }: Holder): boolean =>
  key.rights.includes(ACTIONS[name].right) && isAllowedInState(name, session);

const HOUR_MS = 60 * 60 * 1000;

/** The lifetimes that a person can choose for a participant or a session. */
export const LIFETIMES = {
  hour: HOUR_MS,
  day: 24 * HOUR_MS,
  week: 7 * 24 * HOUR_MS,
  month: 30 * 24 * HOUR_MS,
} as const;

/** Undefined for an unknown name. */
export const lifetimeOf = (name: string): number | undefined =>
  Object.hasOwn(LIFETIMES, name) ? LIFETIMES[name as keyof typeof LIFETIMES] : undefined;
