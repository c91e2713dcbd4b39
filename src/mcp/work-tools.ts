/** Tools that work inside a session: fields, log, submit. */
import { eventsIn } from "../domain/log/event-line";
import * as z from "zod";
import type { Command, SetFields } from "../domain/session/command";
import { LIMITS } from "../domain/limits";
import { eventsQuery } from "../protocol/log-requests";
import { API_ROUTES } from "../protocol/api-routes";
import { jsonQueryMember } from "./route-input";
import type { SessionView } from "../domain/session/view";
import type { JsonObject } from "../domain/json";
import type { Gateway } from "../gateway/gateway";
import * as kit from "./tool-kit";
import { warnOfUnknownFields } from "./unknown-fields";
import { REVIEW_NEXT, submitProblem } from "./tool-problem";
import { waitResultText, waitFor } from "./wait-for";

const query = eventsQuery.shape;
const after = jsonQueryMember(query.after);
const limit = jsonQueryMember(query.limit).unwrap().max(LIMITS.pageEvents).optional();
const types = jsonQueryMember(query.type);
const timeout = jsonQueryMember(query.waitMs);
/** Shorter than the usual timeout of MCP clients. */
const WAIT_MS = 25_000;

const set_fields = kit.defineTool({
  title: "Set fields",
  description: `Sets fields of the document (null removes one), its title or its next step. Each value is checked by the schema. ${kit.SPENDS_TOKEN} On version_conflict look at what you missed, then repeat with the same token and if_version.`,
  route: "setFields",
  omit: ["labels"],
  descriptions: { fields: "", confidence: "From 0 to 1, for all or per field" },
  check: {
    holds: ({ fields, title, nextStep }) =>
      Object.keys(fields ?? {}).length > 0 || title !== undefined || nextStep !== undefined,
    error: "give at least one of fields, title and next_step",
  },
  extraInput: kit.writeInput,
  ...kit.MODIFYING,
  run: kit.runCommand(
    (body) => ({ operation: "setFields", ...body, fields: body.fields ?? {} }) as SetFields,
    ({ session: { view } }) => savedText(view),
  ),
});

/** A replayed response has only the outline of the session if it has expired since. */
function savedText({ missingFields }: Partial<SessionView>): string {
  if (missingFields === undefined) return "Saved.";
  return missingFields.length === 0
    ? "Saved. No required field is missing."
    : `Saved. Still missing: ${missingFields.join(", ")}.`;
}

const append_events = kit.defineTool({
  title: "Append events",
  description: `Appends events to the session's log, such as progress or notes. Types are namespaced, as in agent.progress. ${kit.KEEPS_TOKEN}`,
  route: "appendEvents",
  extraInput: kit.idempotentInput,
  ...kit.ADDITIVE,
  run: kit.runKeepingToken(
    ({ gateway }, credential, body, { idempotency_key: idempotencyKey = null }) => {
      const events = body.events as Parameters<Gateway["append"]>[1];
      const options = { ifMatch: null, idempotencyKey };
      return gateway.append(credential, events, body.expectedHead ?? null, options);
    },
    ({ first, last, head, expiresAt }) => ({
      text: `Appended as ${first} to ${last}.`,
      facts: { expires_at: expiresAt, first, last, head },
    }),
  ),
});

const read_events = kit.defineTool({
  title: "Read the log",
  description: `Returns events after a number, oldest first; without \`after\`, those since your last resume. ${kit.KEEPS_TOKEN}`,
  route: "readEvents",
  extraInput: {
    ...kit.readInput,
    after,
    limit,
    types: types.describe("Only these; `agent.*` means a whole namespace"),
  },
  ...kit.READ_ONLY,
  run: kit.runKeepingToken(
    ({ gateway }, credential, _, args) =>
      gateway.events(credential, "events", {
        after: args.after ?? null,
        limit: args.limit ?? LIMITS.pageEventsDefault,
        types: args.types ?? [],
      }),
    ({ texts, head, nextAfter, more, expiresAt }) => {
      const events = eventsIn(texts);
      return {
        text: `${kit.pluralize(events.length, "event")}${more ? `, and there are more: read on after ${nextAfter}` : ""}.`,
        facts: { expires_at: expiresAt, events, head, next_after: nextAfter, more },
      };
    },
  ),
});

const wait_for = kit.defineTool({
  title: "Wait for an event",
  description: `Waits for the first event of these types after a number. handoff.answered also finds handoff.declined and handoff.expired. event is null if the time is up, or if none can come. After an answer, resume_session before you write. ${kit.KEEPS_TOKEN}`,
  route: "readEvents",
  extraInput: {
    ...kit.handleInput,
    types: types.unwrap().min(1).describe("Default: all ends of a handoff").optional(),
    after: after.describe("Default: the newest link or your last resume, whichever is older"),
    timeout_ms: timeout.describe("Default 25000"),
  },
  ...kit.READ_ONLY,
  run: kit.runKeepingToken(
    ({ gateway }, credential, _, { after, types, timeout_ms = WAIT_MS }) =>
      waitFor(gateway, credential, { after, types, timeoutMs: timeout_ms }),
    (result) => {
      const { event, nextAfter, expiresAt } = result;
      const facts = { expires_at: expiresAt, event, next_after: nextAfter };
      return { text: waitResultText(result), facts };
    },
  ),
});

const read_private = kit.defineTool({
  title: "Read a private value",
  description: `Returns the value of a field that is shown as {"$private": hash}; needs fill or review. ${kit.KEEPS_TOKEN}`,
  route: "getPrivate",
  extraInput: { ...kit.handleInput, field: z.string().max(LIMITS.fieldNameLength) },
  ...kit.READ_ONLY,
  run: kit.runKeepingToken(
    ({ gateway }, credential, _, { field }) => gateway.read(credential, "private", { field }),
    ({ field, value, expiresAt }) => ({
      text: `The value of ${field}.`,
      facts: { expires_at: expiresAt, field, value },
    }),
  ),
});

const validate = kit.defineTool({
  title: "Check before submitting",
  description: `Checks whether submit would succeed now, with the given fields added. ${kit.KEEPS_TOKEN}`,
  route: "validate",
  descriptions: { fields: "" },
  extraInput: kit.handleInput,
  ...kit.READ_ONLY,
  run: kit.runKeepingToken(
    ({ gateway }, credential, { fields = {} }) =>
      gateway.read(credential, "validate", { fields: fields as JsonObject }),
    ({ problems, session }, _, { fields }) => {
      const valid = problems.length === 0;
      const errors = problems.map(({ field, message }) => `${field} ${message}`).join("; ");
      const stateProblem = submitProblem(session.state);
      const can_submit = valid && stateProblem === null;
      const warning = warnOfUnknownFields(session, { fields });
      const reasons = [
        ...(valid ? [] : [`Not yet: ${errors}.`]),
        ...(stateProblem === null ? [] : [stateProblem]),
      ];
      return {
        text: `${can_submit ? "It can be submitted." : reasons.join(" ")}${warning.text}`,
        facts: {
          ...kit.briefFacts(session),
          ...warning.facts,
          can_submit,
          valid,
          errors: problems,
        },
      };
    },
  ),
});

const submit = kit.defineTool({
  title: "Submit",
  description: `Validates the whole document and submits it, which closes its fields. ${kit.SPENDS_TOKEN}`,
  route: "submit",
  extraInput: kit.writeInput,
  ...kit.MODIFYING,
  run: kit.runCommand(
    () => ({ operation: "submit" }),
    ({ session: { view } }) =>
      view.state === "needs_review"
        ? `Submitted; it now waits for a review. ${REVIEW_NEXT}`
        : "Submitted.",
  ),
});

const DECISIONS = {
  approve: ["approve", "comment"],
  reject: ["reject", "reason"],
  request_changes: ["requestChanges", "comment"],
} as const;

const review_session = kit.defineTool({
  title: "Review a session",
  description: `Approves or rejects what was submitted, or asks for changes. Needs the scope review; you cannot review your own work. ${kit.SPENDS_TOKEN}`,
  route: "approve",
  omit: ["comment"],
  extraInput: {
    ...kit.writeInput,
    decision: z.enum(["approve", "reject", "request_changes"]),
    note: API_ROUTES.approve.body.shape.comment,
  },
  ...kit.DESTRUCTIVE,
  run: kit.runCommand(
    (_, { decision, note }): Command => {
      const [operation, member] = DECISIONS[decision];
      return { operation, [member]: note };
    },
    ({ session: { view } }) => `Decided: the session is now ${view.state}.`,
  ),
});

export const workTools = {
  review_session,
  set_fields,
  append_events,
  read_events,
  wait_for,
  read_private,
  validate,
  submit,
};
