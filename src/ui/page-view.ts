/** The view of a session through a person's link: the session, their rights and the question. */
import type { LogEvent } from "../domain/log/event";
import { eventsIn } from "../domain/log/event-line";
import type { LinkCode } from "../domain/links/link-code";
import type { NarrowedView } from "../domain/participants/narrowed-view";
import type { Actor } from "../domain/participants/actor";
import { OPERATIONS, type Operation } from "../domain/session/operation";
import type { Scope } from "../domain/participants/scope";
import { privateHashIn } from "../domain/session/private-values";
import { isTerminal } from "../domain/session/state";
import type { ParticipantView } from "../domain/session/view";
import type { Gateway, GatewayReply } from "../gateway/gateway";
import { privateFields } from "../json-schema/private-schema";
import type { UnverifiedCredential } from "../gateway/session-calls";
import { SerializedSession } from "../gateway/serialized-session";
import { readText } from "./form/draw-value";
import { formModel, keysIn, readOnlyNodes, type FormModel } from "./form/fields";
import type { FormNode, Texts } from "./form/node";
import { labelFor, objectOf, resolveSchema, textOf } from "./form/schema";
import { own, type Json, type JsonObject } from "../domain/json";
import type { Reader } from "./words/index";

export interface PageView {
  readonly code: LinkCode;
  /** Pages use only what a narrowed link can see. */
  readonly session: NarrowedView;
  readonly me: ParticipantView;
  /** Fields that the person can see but not change. */
  readonly shown: readonly ShownField[];
  readonly events: readonly LogEvent[];
  readonly requestedBy: Actor | null;
  /** The question of the link, if it has one. */
  readonly question: string | null;
  readonly note: string | null;
  readonly submitLabel: string | null;
  /** The answer goes back to the requester and does not submit the session. */
  readonly isRequest: boolean;
  readonly isAnswered: boolean;
  readonly isDeclined: boolean;
  /** Declined because another person is responsible. */
  readonly isNotMe: boolean;
  /** The form, with as many rows as the typed texts have. */
  readonly model: (texts: Texts | null) => FormModel;
  readonly labelOf: (field: string) => string;
  /** A field with its label and schema. */
  readonly fieldOf: (field: string) => ShownField;
  readonly textOf: (field: string, reader: Reader) => string;
  /** Names of the files in the fields, by id. */
  readonly fileNames: Readonly<Record<string, string>>;
}

interface ShownField {
  readonly key: string;
  readonly label: string;
  readonly value: Json | undefined;
  /** Null if no schema describes it. */
  readonly node: FormNode | null;
}

export async function loadPageView(
  gateway: Gateway,
  credential: UnverifiedCredential,
  code: LinkCode,
  language: string,
): Promise<GatewayReply<PageView>> {
  const reply = await gateway.read(credential, "readPersonPage", {});
  if (!reply.ok) return reply;
  const { me, terms, narrowing, note, requestedBy, isRequest, texts } = reply.value;
  const session = withPrivateValues(new SerializedSession(reply.value.session).view, reply.value);
  const { schema, fields } = session;
  const requestedNames = narrowing?.ask ?? null;
  const shownNames = terms.show ?? [];
  const model = (typed: Texts | null): FormModel =>
    formModel({ schema, fields, language, ask: requestedNames, show: shownNames, texts: typed });
  const canFill = me.scopes.includes("fill");
  const requestedKeys = new Set(canFill ? model(null).children.flatMap(keysIn) : []);
  const visible = narrowing?.visible ?? [...propertyNames(schema), ...Object.keys(fields)];
  const shown = [...new Set(visible)].filter((key) => !requestedKeys.has(key));
  const nodes = readOnlyNodes(schema, fields);
  const labelOf = (field: string): string => nodes.get(field)?.label ?? titleOf(schema, field);
  const fieldOf = (key: string): ShownField => ({
    key,
    label: labelOf(key),
    value: own(fields, key),
    node: nodes.get(key) ?? null,
  });
  const events = eventsIn(texts.filter((text) => text !== ""));
  return {
    ok: true,
    value: {
      code,
      session,
      me,
      shown: shown.map(fieldOf),
      events,
      requestedBy,
      question: terms.question ?? null,
      note,
      submitLabel: terms.submitLabel ?? null,
      isRequest,
      isAnswered: reply.value.answeredAt !== null,
      isDeclined: reply.value.declinedAt !== null,
      isNotMe: events.some(
        ({ type, payload }) =>
          type === "handoff.declined" &&
          payload["notMe"] === true &&
          payload["participant"] === me.id,
      ),
      model,
      labelOf,
      fieldOf,
      textOf: (field, reader) => readText(nodes.get(field) ?? null, own(fields, field), reader),
      fileNames: reply.value.fileNames,
    },
  };
}

/** Adds the private values that the person may see. Other private fields are left out of the form. */
function withPrivateValues(
  session: NarrowedView,
  { privates, me }: { readonly privates: JsonObject; readonly me: ParticipantView },
): NarrowedView {
  const names = privateFields(session.schema);
  const canRead = me.scopes.includes("fill") || me.scopes.includes("review");
  const shown = Object.entries(session.fields).flatMap(([key, value]) => {
    if (!names.has(key) || privateHashIn(value) === null) return [[key, value] as const];
    const privateValue = own(privates, key);
    if (privateValue !== undefined) return [[key, privateValue] as const];
    const isErased = own(session.fieldMeta, key)?.erasedAt !== undefined;
    return canRead || isErased ? [] : [[key, value] as const];
  });
  return names.size === 0 ? session : { ...session, fields: Object.fromEntries(shown) };
}

const propertiesOf = (schema: JsonObject | null): JsonObject =>
  schema === null ? {} : (objectOf(own(resolveSchema(schema, schema) ?? {}, "properties")) ?? {});

const propertyNames = (schema: JsonObject | null): readonly string[] =>
  Object.keys(propertiesOf(schema));

export function titleOf(schema: JsonObject | null, field: string): string {
  const node = schema === null ? null : resolveSchema(schema, own(propertiesOf(schema), field));
  return (node === null ? null : textOf(node, "title")) ?? labelFor(field);
}

export const canPerform = (
  { session, me, isDeclined }: PageView,
  operation: Operation,
): boolean => {
  const { scope, transitions } = OPERATIONS[operation];
  const isAllowed = (transitions as Partial<Record<string, string>>)[session.state] !== undefined;
  return !isDeclined && me.scopes.includes(scope as Scope) && isAllowed;
};

/** Whether the person wrote this field last, in this tab or another. */
export function isOwnField(view: PageView, field: string): boolean {
  const actor = own(view.session.fieldMeta, field)?.actor;
  return actor !== undefined && isLinkHolder(view, actor);
}

export const isLinkHolder = ({ me }: PageView, { kind, id }: Actor): boolean =>
  kind === me.actor.kind && id === me.actor.id;

export const hasEnded = ({ session }: PageView): boolean => isTerminal(session.state);
