/**
 * Runs the actions of the console. Each goes through the gateway like a call of any caller with a key: the
 * session decides, and its log names the owner and the key.
 */
import { numberOf } from "../../domain/ids";
import type { Failure } from "../../domain/failure";
import type { JsonObject } from "../../domain/json";
import { SCOPES } from "../../domain/participants/scope";
import type { Command } from "../../domain/session/command";
import type { SessionView } from "../../domain/session/view";
import type { Gateway } from "../../gateway/gateway";
import type { OwnerGateway } from "../../gateway/owner-gateway";
import { rightProblem, type Holder } from "../../gateway/owner-keys";
import type { UnverifiedCredential } from "../../gateway/session-calls";
import { labels as labelsSchema } from "../../protocol/request-parts";
import type { Texts } from "../form/node";
import { textIn } from "../posted-form";
import { ACTIONS, type ActionName, lifetimeOf } from "./action-table";
import type { ConsoleWords } from "./words/en";

type ActionResult =
  | { readonly kind: "done" }
  | { readonly kind: "opened"; readonly session: SessionView; readonly token: string }
  | { readonly kind: "removed"; readonly certificate: JsonObject }
  /** The form is shown again with the problem. */
  | { readonly kind: "wrong"; readonly problem: string }
  | { readonly kind: "refused"; readonly failure: Failure };

interface ActionContext {
  readonly gateway: Gateway;
  readonly owners: OwnerGateway;
  readonly holder: Holder;
  readonly credential: UnverifiedCredential;
  readonly typed: Texts;
  readonly words: ConsoleWords;
}

/** The console does not show a version, and does not retry requests. */
const UNCONDITIONAL = { ifMatch: null, idempotencyKey: null } as const;

export async function runAction(context: ActionContext, name: ActionName): Promise<ActionResult> {
  const { gateway, holder, credential, typed, words } = context;
  const missingRight = rightProblem(holder, ACTIONS[name].right);
  if (missingRight !== null) return { kind: "refused", failure: missingRight };
  if (name === "open") return openSession(context);
  if (name === "purge") {
    if (typed.get("confirm") !== "yes") return wrong(words.actions.mustConfirm);
    const reply = await gateway.purge(credential, null);
    return reply.ok ? { kind: "removed", certificate: reply.value } : refused(reply.failure);
  }
  const command = commandFor(name, typed);
  if (command === null) return wrong(words.actions.labels.wrong);
  const reply = await gateway.write(credential, command, UNCONDITIONAL);
  return reply.ok ? { kind: "done" } : refused(reply.failure);
}

const wrong = (problem: string): ActionResult => ({ kind: "wrong", problem });
const refused = (failure: Failure): ActionResult => ({ kind: "refused", failure });

async function openSession({
  owners,
  holder,
  credential,
  typed,
}: ActionContext): Promise<ActionResult> {
  const scopes = SCOPES.filter((scope) => typed.has(`scope/${scope}`));
  const ttlMs = lifetimeOf(typed.get("life") ?? "");
  const reply = await owners.open(holder, credential.sessionId, {
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(ttlMs === undefined ? {} : { ttlMs }),
  });
  if (!reply.ok) return refused(reply.failure);
  const { session, resumeToken } = reply.value;
  return { kind: "opened", session: session.view, token: resumeToken };
}

/** Null if the labels cannot be parsed. */
function commandFor(name: Exclude<ActionName, "open" | "purge">, typed: Texts): Command | null {
  const reason = textIn(typed, "reason");
  switch (name) {
    case "cancel":
    case "pause":
    case "unpause":
      return { operation: name, ...(reason === undefined ? {} : { reason }) };
    case "extend":
      return { operation: "extend", ttlMs: lifetimeOf(typed.get("life") ?? "") ?? 0 };
    case "revoke":
      return { operation: "revoke", target: numberOf(typed.get("participant") ?? "", "par_") ?? 0 };
    case "labels": {
      const labels = parseLabels(typed.get("labels") ?? "");
      return labels === null ? null : { operation: "setLabels", labels };
    }
  }
}

function parseLabels(text: string): Readonly<Record<string, string>> | null {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const pairs = lines.map((line) => [line.split("=")[0] ?? "", line] as const);
  const isReadable = pairs.every(([, line]) => line.includes("="));
  if (!isReadable || new Set(pairs.map(([name]) => name)).size < pairs.length) return null;
  const parsed = labelsSchema.safeParse(
    Object.fromEntries(
      pairs.map(([name, line]) => [name.trim(), line.slice(name.length + 1).trim()]),
    ),
  );
  return parsed.success ? parsed.data : null;
}
