/**
 * What is done from the console. Everything goes through the gateway as for any caller with a key: the
 * session itself decides, and its log says which key of which owner it was.
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
import type { Presented } from "../../gateway/session-calls";
import { labels as labelsSchema } from "../../protocol/request-parts";
import type { Texts } from "../form/node";
import { textIn } from "../posted-form";
import { ACTIONS, type ActionName, lifeOf } from "./action-table";
import type { ConsoleWords } from "./words/en";

type Acted =
  | { readonly kind: "done" }
  | { readonly kind: "opened"; readonly session: SessionView; readonly token: string }
  | { readonly kind: "removed"; readonly certificate: JsonObject }
  /** The form is shown again with what is wrong with it. */
  | { readonly kind: "wrong"; readonly problem: string }
  | { readonly kind: "refused"; readonly failure: Failure };

interface Hand {
  readonly gateway: Gateway;
  readonly owners: OwnerGateway;
  readonly holder: Holder;
  readonly presented: Presented;
  readonly typed: Texts;
  readonly words: ConsoleWords;
}

/** The session is as the key sees it: there is no version to have seen, and no request to repeat. */
const PLAIN = { ifMatch: null, idempotencyKey: null } as const;

export async function act(hand: Hand, name: ActionName): Promise<Acted> {
  const { gateway, holder, presented, typed, words } = hand;
  const lacking = rightProblem(holder, ACTIONS[name].right);
  if (lacking !== null) return { kind: "refused", failure: lacking };
  if (name === "open") return open(hand);
  if (name === "purge") {
    if (typed.get("confirm") !== "yes") return wrong(words.actions.mustConfirm);
    const reply = await gateway.purge(presented, null);
    return reply.ok ? { kind: "removed", certificate: reply.value } : refused(reply.failure);
  }
  const command = commandOf(name, typed);
  if (command === null) return wrong(words.actions.labels.wrong);
  const reply = await gateway.write(presented, command, PLAIN);
  return reply.ok ? { kind: "done" } : refused(reply.failure);
}

const wrong = (problem: string): Acted => ({ kind: "wrong", problem });
const refused = (failure: Failure): Acted => ({ kind: "refused", failure });

async function open({ owners, holder, presented, typed }: Hand): Promise<Acted> {
  const scopes = SCOPES.filter((scope) => typed.has(`scope/${scope}`));
  const ttlMs = lifeOf(typed.get("life") ?? "");
  const reply = await owners.open(holder, presented.sessionId, {
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(ttlMs === undefined ? {} : { ttlMs }),
  });
  if (!reply.ok) return refused(reply.failure);
  const { shown, resumeToken } = reply.value;
  return { kind: "opened", session: shown.view, token: resumeToken };
}

/** Null where the labels cannot be read. */
function commandOf(name: Exclude<ActionName, "open" | "purge">, typed: Texts): Command | null {
  const reason = textIn(typed, "reason");
  switch (name) {
    case "cancel":
    case "pause":
    case "unpause":
      return { operation: name, ...(reason === undefined ? {} : { reason }) };
    case "extend":
      return { operation: "extend", ttlMs: lifeOf(typed.get("life") ?? "") ?? 0 };
    case "revoke":
      return { operation: "revoke", target: numberOf(typed.get("participant") ?? "", "par_") ?? 0 };
    case "labels": {
      const labels = labelsIn(typed.get("labels") ?? "");
      return labels === null ? null : { operation: "setLabels", labels };
    }
  }
}

function labelsIn(text: string): Readonly<Record<string, string>> | null {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const pairs = lines.map((line) => [line.split("=")[0] ?? "", line] as const);
  const isReadable = pairs.every(([, line]) => line.includes("="));
  if (!isReadable || new Set(pairs.map(([name]) => name)).size < pairs.length) return null;
  const read = labelsSchema.safeParse(
    Object.fromEntries(
      pairs.map(([name, line]) => [name.trim(), line.slice(name.length + 1).trim()]),
    ),
  );
  return read.success ? read.data : null;
}
