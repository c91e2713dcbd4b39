/** A person's part of the work: the form to fill, or the decision to take. */
import { own, type Json, type JsonObject } from "../domain/json";
import { privateFields } from "../json-schema/private-schema";
import { Act } from "./form/act";
import { Draw, type Drawing } from "./form/draw";
import { choiceName } from "./form/answers";
import { Pick } from "./form/draw-choices";
import { keysIn, textsFor, hasSteps, sectionsIn } from "./form/fields";
import type { Child, Texts } from "./form/node";
import { resolved, textOf } from "./form/schema";
import { Declining, Hidden, PassOn } from "./part-tools";
import { whoDid } from "./text";
import { Values } from "./values";
import { isOwnWork, may, type Visit } from "./visit";
import type { Reader } from "./words/index";

export interface PageState {
  /** What was typed, where the form is drawn again. */
  readonly typed?: Texts | undefined;
  /** The fields that the person changed; absent: all that was typed counts. */
  readonly touched?: ReadonlySet<string>;
  /** By the name of the input. */
  readonly errors?: ReadonlyMap<string, string>;
  /** Fields that were changed elsewhere too. */
  readonly conflicts?: ReadonlySet<string>;
  readonly problem?: string | undefined;
  readonly done?: string | undefined;
  /** There is one to print, of what the person did. */
  readonly hasReceipt?: boolean;
  /** One a drawn form: a double tap is one write. */
  readonly key: string;
}

export interface PartProps {
  readonly visit: Visit;
  readonly state: PageState;
  readonly reader: Reader;
}

export function Part(props: PartProps) {
  const { visit, reader } = props;
  const { page, done } = reader.words;
  if (visit.isDeclined) {
    return (
      <>
        <p class="notice">{visit.isNotMe ? done.notMe : done.decline}</p>
        <Values visit={visit} reader={reader} all />
      </>
    );
  }
  if (may(visit, "setFields")) return <Form {...props} />;
  if (may(visit, "approve")) return <Decision {...props} />;
  const canAct = visit.me.scopes.includes("fill") || visit.me.scopes.includes("review");
  return (
    <>
      <p class="notice">
        {canAct ? page.waiting : page.nothingToDo}
        {canAct && (
          <>
            {" "}
            <span data-scripted="" hidden>
              {page.updates}
            </span>
            <noscript>{page.reload}</noscript>
          </>
        )}
      </p>
      <Values visit={visit} reader={reader} all />
      {may(visit, "handoff") && (
        <form method="post" action={`/h/${visit.code}/act`} encType="multipart/form-data">
          <Hidden {...props} />
          <PassOn reader={reader} />
        </form>
      )}
    </>
  );
}

const LOW_CONFIDENCE = 0.7;

function Form(props: PartProps) {
  const { visit, state, reader } = props;
  const { session, code } = visit;
  const { page } = reader.words;
  const { requestedChanges } = session.review;
  const isChanging = session.state === "awaiting_input" && requestedChanges !== undefined;
  const model = visit.model(state.typed ?? null);
  const texts = textsFor(model, session.fields, state.typed ?? null, state.touched ?? null);
  const drawing: Drawing = {
    ...reader,
    texts,
    errors: state.errors ?? new Map(),
    downloads: `/h/${code}/files`,
  };
  return (
    <>
      {/* First, because nobody can answer before they know what it is about. */}
      <Values visit={visit} reader={reader} />
      <form
        id="form"
        method="post"
        action={`/h/${code}/act`}
        encType="multipart/form-data"
        noValidate
        autocomplete="off"
        {...(hasSteps(model.root) ? { "data-steps": "" } : {})}
      >
        {isChanging && (
          <p class="comment" dir="auto">
            <b>{page.requested}</b> {requestedChanges.comment ?? ""}
          </p>
        )}
        <Hidden {...props} />
        {/* Enter in a text field presses the first button of a form: it must be the harmless one. */}
        <Act action="save" class="visually-hidden" tabindex={-1} aria-hidden="true">
          {page.save}
        </Act>
        <Intro root={model.root} title={session.title} />
        {/* Only a script saves by itself, and it shows this. */}
        <p class="help" data-scripted="" hidden>
          {page.savesItself}
        </p>
        {sectionsIn(model.root, model.children).map(({ title, children }, index) => (
          <div data-section="" tabindex={-1} class={title === null ? "" : "section"}>
            {title !== null && (
              <h2 id={`section-${index}`} dir="auto">
                {title}
              </h2>
            )}
            {children.map((child) => (
              <Field
                {...props}
                child={child}
                drawing={drawing}
                comment={isChanging ? own(requestedChanges.fields, child.key) : undefined}
              />
            ))}
          </div>
        ))}
        <div class="actions">
          <Act action="submit" class="primary">
            {visit.submitLabel ?? page.submit}
          </Act>
          <Act action="save">{page.save}</Act>
        </div>
        <details>
          <summary>{page.more}</summary>
          <div class="control">
            <label for="message">{page.message}</label>
            <textarea id="message" name="message" rows={3} dir="auto"></textarea>
          </div>
          <Act action="handBack">{page.handBack}</Act>
          {may(visit, "handoff") && <PassOn reader={reader} />}
          <Declining reader={reader} />
        </details>
      </form>
    </>
  );
}

/** What the schema says of the form as a whole, unless the page says it already. */
function Intro({ root, title }: { readonly root: JsonObject; readonly title: string | null }) {
  const node = resolved(root, root) ?? {};
  const heading = textOf(node, "title");
  const help = textOf(node, "description");
  return (
    <>
      {heading !== null && heading !== title && <h2 dir="auto">{heading}</h2>}
      {help !== null && (
        <p class="lead" dir="auto">
          {help}
        </p>
      )}
    </>
  );
}

interface FieldProps extends PartProps {
  readonly child: Child;
  readonly drawing: Drawing;
  readonly comment: string | undefined;
}

/** A part of the form with what is said about its field. */
function Field({ visit, state, reader, child, drawing, comment }: FieldProps) {
  const { session } = visit;
  const { page } = reader.words;
  const meta = child.key === "" ? undefined : own(session.fieldMeta, child.key);
  // In a conflict the input holds what the person typed.
  const isMine = state.conflicts?.has(child.key) === true;
  const isHandled = meta !== undefined && meta.actor.kind !== "human" && !isMine;
  const value: Json | undefined = own(session.fields, child.key);
  const hidden = privateFields(session.schema);
  return (
    <div
      class="field"
      data-field={keysIn(child).map(encodeURIComponent).join(" ")}
      data-private={keysIn(child).some((key) => hidden.has(key)) ? "" : undefined}
    >
      <Draw node={child.node} drawing={drawing} value={value} />
      {isHandled && (
        <p class="meta">
          {page.filledBy(whoDid(meta.actor, reader.words))}
          {meta.confidence !== undefined && meta.confidence < LOW_CONFIDENCE && (
            <strong class="unsure">
              {" "}
              {page.unsure(`${reader.format(Math.round(meta.confidence * 100))} %`)}
            </strong>
          )}
        </p>
      )}
      {comment !== undefined && (
        <p class="comment" dir="auto">
          {comment}
        </p>
      )}
      {keysIn(child)
        .filter((key) => state.conflicts?.has(key) === true)
        .map((key) => (
          <fieldset class="conflict" id={choiceName(key)} tabindex={-1}>
            <legend>{isOwnWork(visit, key) ? page.ownConflict : page.conflict}</legend>
            <Pick kind="radio" name={choiceName(key)} value="mine" isChosen={false} required>
              {page.mine}
            </Pick>
            <Pick kind="radio" name={choiceName(key)} value="theirs" isChosen={false} required>
              {page.theirs(visit.textOf(key, reader))}
            </Pick>
          </fieldset>
        ))}
    </div>
  );
}

function Decision(props: PartProps) {
  const { visit, state, reader } = props;
  const { code, shown } = visit;
  const { page } = reader.words;
  const typed = (name: string): string => state.typed?.get(name) ?? "";
  return (
    <>
      <Values visit={visit} reader={reader} all />
      <form id="form" method="post" action={`/h/${code}/act`} encType="multipart/form-data">
        <h2>{page.decide}</h2>
        <Hidden {...props} />
        <div class="control">
          <label for="comment">{page.comment}</label>
          <textarea id="comment" name="comment" rows={3} dir="auto">
            {`\n${typed("comment")}`}
          </textarea>
        </div>
        <div class="actions">
          <Act action="approve" class="primary">
            {visit.submitLabel ?? page.approve}
          </Act>
        </div>
        <details>
          <summary>{page.requestChanges}</summary>
          {shown.map(({ key, label }) => {
            const name = `comment/f/${encodeURIComponent(key)}`;
            return (
              <div class="control">
                <label for={name}>{page.commentOn(label)}</label>
                <input type="text" id={name} name={name} value={typed(name)} dir="auto" />
              </div>
            );
          })}
          <Act action="requestChanges">{page.requestChanges}</Act>
        </details>
        <details>
          <summary>{page.reject}</summary>
          <div class="control">
            <label for="reason">{page.reason}</label>
            <textarea id="reason" name="reason" rows={3} dir="auto">
              {`\n${typed("reason")}`}
            </textarea>
          </div>
          <Act action="reject">{page.reject}</Act>
        </details>
        <Declining reader={reader} />
      </form>
    </>
  );
}
