/** Tools that work inside a session: fields, log, submit. */
import { eventsIn } from "../domain/log/event-line";
import * as z from "zod";
import type { SetFields } from "../domain/session/command";
import { LIMITS } from "../domain/limits";
import { setFieldsBody, validateBody } from "../protocol/document-requests";
import { appendBody } from "../protocol/log-requests";
import { eventSchema, seq } from "../protocol/session";
import type { SessionView } from "../domain/session/view";
import type { JsonObject } from "../domain/json";
import { awaitEvents } from "../gateway/await-events";
import type { Gateway } from "../gateway/gateway";
import {
  defineTool,
  handleFacts,
  handleInput,
  handleOutput,
  KEEPS,
  keeping,
  refusedBy,
  readHandle,
  ROTATES,
  SAME_TOKEN,
  sessionOutput,
  writeInput,
  writing,
} from "./tool-kit";

const set = setFieldsBody.shape;
/** Below what clients of MCP commonly wait for an answer. */
const WAIT_MS = 25_000;

const set_fields = defineTool({
  title: "Set fields",
  description: `Sets fields of the session's document (null removes one), its title or its next step. Each value is checked against the schema. ${ROTATES} On version_conflict look at what you missed, then repeat with the same token and if_version.`,
  input: z
    .object({
      ...writeInput,
      fields: set.fields,
      confidence: set.confidence,
      title: set.title,
      next_step: set.nextStep,
    })
    .refine(
      ({ fields, title, next_step }) =>
        Object.keys(fields ?? {}).length > 0 || title !== undefined || next_step !== undefined,
      { error: "give at least one of fields, title and next_step" },
    ),
  output: z.object(sessionOutput),
  readOnly: false,
  destructive: false,
  idempotent: true,
  run: writing(
    (args) =>
      ({
        operation: "setFields",
        fields: args["fields"] ?? {},
        confidence: args["confidence"],
        title: args["title"],
        nextStep: args["next_step"],
      }) as SetFields,
    ({ shown: { view } }) => savedText(view),
  ),
});

/** Repeated after the session expired, only its outline is there to speak of. */
function savedText({ missingFields }: Partial<SessionView>): string {
  if (missingFields === undefined) return "Saved.";
  return missingFields.length === 0
    ? "Saved. No required field is missing."
    : `Saved. Still missing: ${missingFields.join(", ")}.`;
}

const append_events = defineTool({
  title: "Append events",
  description: `Appends events to the session's log, such as progress or notes. Types are namespaced, as in agent.progress. ${KEEPS} With an idempotency_key a repeated call appends once.`,
  input: z.object({
    ...handleInput,
    idempotency_key: writeInput.idempotency_key,
    events: appendBody.shape.events,
    expected_head: appendBody.shape.expectedHead,
  }),
  output: z.object({ ...handleOutput, first: seq, last: seq, head: seq }),
  readOnly: false,
  destructive: false,
  idempotent: false,
  async run({ gateway }, args) {
    const presented = await readHandle(gateway, args);
    if (!presented.ok) return refusedBy(presented.error);
    const events = args.events as Parameters<Gateway["append"]>[1];
    const reply = await gateway.append(presented.value, events, args.expected_head ?? null, {
      ifMatch: null,
      idempotencyKey: args.idempotency_key ?? null,
    });
    if (!reply.ok) return reply;
    const { first, last, head, expiresAt: expires_at } = reply.value;
    const text = `Appended as ${first} to ${last}. ${SAME_TOKEN}`;
    const { resume_token } = args;
    return { ok: true, value: { text, facts: { resume_token, expires_at, first, last, head } } };
  },
});

const read_events = defineTool({
  title: "Read the log",
  description: `Returns events after a number, oldest first; without \`after\`, those since your last resume. ${KEEPS} Changes nothing.`,
  input: z.object({
    ...handleInput,
    after: z.int().min(0).optional(),
    limit: z.int().min(1).max(LIMITS.pageEvents).optional(),
    types: z
      .array(z.string().max(LIMITS.eventTypeLength))
      .max(LIMITS.typeFilters)
      .describe("Only these; `agent.*` means a whole namespace")
      .optional(),
  }),
  output: z.object({
    ...handleOutput,
    events: z.array(eventSchema),
    head: seq,
    next_after: seq,
    more: z.boolean(),
  }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  run: keeping(
    ({ gateway }, presented, args) =>
      gateway.events(presented, "events", {
        after: args.after ?? null,
        limit: args.limit ?? LIMITS.pageEventsDefault,
        types: args.types ?? [],
      }),
    ({ texts, head, nextAfter, more, expiresAt }, { resume_token }) => {
      const events = eventsIn(texts);
      return {
        text: `${events.length} events${more ? `, and there are more: read on after ${nextAfter}` : ""}. ${SAME_TOKEN}`,
        facts: { resume_token, expires_at: expiresAt, events, head, next_after: nextAfter, more },
      };
    },
  ),
});

const wait_for = defineTool({
  title: "Wait for an event",
  description: `Waits for the first event of these types after a number, such as handoff.answered. event is null if the time is over: call again with after: next_after. ${KEEPS}`,
  input: z.object({
    ...handleInput,
    types: z.array(z.string().max(LIMITS.eventTypeLength)).min(1).max(LIMITS.typeFilters),
    after: z.int().min(0).optional(),
    timeout_ms: z.int().min(0).max(LIMITS.waitMs).describe("Default 25000").optional(),
  }),
  output: z.object({ ...handleOutput, event: eventSchema.nullable(), next_after: seq }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  run: keeping(
    ({ gateway }, presented, { after, types, timeout_ms = WAIT_MS }) =>
      awaitEvents(gateway.follow(presented, after ?? null, types), timeout_ms, 1),
    ({ texts, nextAfter, expiresAt }, { resume_token }) => {
      const [event = null] = eventsIn(texts);
      return {
        text: `${event === null ? "Nothing yet" : `${event.type} at ${event.seq}`}. ${SAME_TOKEN}`,
        facts: { resume_token, expires_at: expiresAt, event, next_after: nextAfter },
      };
    },
  ),
});

const read_private = defineTool({
  title: "Read a private value",
  description: `Returns the value of a field that is shown as {"$private": hash}; needs fill or review. ${KEEPS}`,
  input: z.object({ ...handleInput, field: z.string().max(LIMITS.fieldNameLength) }),
  output: z.object({ ...handleOutput, field: z.string(), value: z.unknown() }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  run: keeping(
    ({ gateway }, presented, { field }) => gateway.read(presented, "private", { field }),
    ({ field, value, expiresAt }, { resume_token }) => ({
      text: `The value of ${field}. ${SAME_TOKEN}`,
      facts: { resume_token, expires_at: expiresAt, field, value },
    }),
  ),
});

const validate = defineTool({
  title: "Check before submitting",
  description: `Checks whether submit would succeed, with the given fields added. ${KEEPS} Changes nothing.`,
  input: z.object({ ...handleInput, fields: validateBody.shape.fields }),
  output: z.object({
    ...sessionOutput,
    valid: z.boolean(),
    errors: z.array(z.object({ field: z.string(), problem: z.string(), message: z.string() })),
  }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  run: keeping(
    ({ gateway }, presented, args) =>
      gateway.read(presented, "validate", { fields: (args.fields ?? {}) as JsonObject }),
    ({ problems, session }, { resume_token }) => ({
      text:
        problems.length === 0
          ? "It can be submitted."
          : `Not yet: ${problems.map(({ field, message }) => `${field} ${message}`).join("; ")}.`,
      facts: {
        ...handleFacts(resume_token, session),
        valid: problems.length === 0,
        errors: problems,
      },
    }),
  ),
});

const submit = defineTool({
  title: "Submit",
  description: `Validates the whole document and submits it. ${ROTATES}`,
  input: z.object(writeInput),
  output: z.object(sessionOutput),
  readOnly: false,
  destructive: false,
  idempotent: true,
  run: writing(
    () => ({ operation: "submit" }),
    ({ shown: { view } }) =>
      view.state === "needs_review" ? "Submitted; it now waits for review." : "Submitted.",
  ),
});

export const workTools = {
  set_fields,
  append_events,
  read_events,
  wait_for,
  read_private,
  validate,
  submit,
};
