/** The person's task: the form to fill in, or the decision to make. */
import { own, type Json, type JsonObject } from "../domain/json";
import { privateFields } from "../json-schema/private-schema";
import { ActionButton } from "./form/action-button";
import { Draw, type DrawContext } from "./form/draw";
import { choiceName } from "./form/answers";
import { OptionInput } from "./form/draw-choices";
import { keysIn, textsFor, hasSteps, sectionsIn } from "./form/fields";
import type { Child, Texts } from "./form/node";
import { resolveSchema, textOf } from "./form/schema";
import { DeclineOptions, HiddenInputs, PassOn } from "./task-tools";
import { byActorText } from "./text";
import { Values } from "./values";
import { isOwnField, canPerform, type PageView } from "./page-view";
import type { Reader } from "./words/index";

export interface PageState {
  /** The typed texts, if the form is drawn again. */
  readonly typed?: Texts | undefined;
  /** The fields that the person changed. If absent, all typed texts are shown. */
  readonly touched?: ReadonlySet<string>;
  /** By input name. */
  readonly errors?: ReadonlyMap<string, string>;
  /** Fields that another actor changed too. */
  readonly conflicts?: ReadonlySet<string>;
  readonly problem?: string | undefined;
  readonly done?: string | undefined;
  /** Whether a signed receipt can be printed. */
  readonly hasReceipt?: boolean;
  /** One per drawn form, so that a double tap is one write. */
  readonly key: string;
}

export interface TaskProps {
  readonly view: PageView;
  readonly state: PageState;
  readonly reader: Reader;
}

export function Task(props: TaskProps) {
  const { view, reader } = props;
  const { page, done } = reader.words;
  if (view.isDeclined) {
    return (
      <>
        <p class="notice">{view.isNotMe ? done.notMe : done.decline}</p>
        <Values view={view} reader={reader} all />
      </>
    );
  }
  if (canPerform(view, "setFields")) return <FillForm {...props} />;
  if (canPerform(view, "approve")) return <DecisionForm {...props} />;
  const canAct = view.me.scopes.includes("fill") || view.me.scopes.includes("review");
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
      <Values view={view} reader={reader} all />
      {canPerform(view, "handoff") && (
        <form method="post" action={`/h/${view.code}/act`} encType="multipart/form-data">
          <HiddenInputs {...props} />
          <PassOn reader={reader} />
        </form>
      )}
    </>
  );
}

const LOW_CONFIDENCE = 0.7;

function FillForm(props: TaskProps) {
  const { view, state, reader } = props;
  const { session, code } = view;
  const { page } = reader.words;
  const { requestedChanges } = session.review;
  const isChanging = session.state === "awaiting_input" && requestedChanges !== undefined;
  const model = view.model(state.typed ?? null);
  const texts = textsFor(model, session.fields, state.typed ?? null, state.touched ?? null);
  const context: DrawContext = {
    ...reader,
    texts,
    errors: state.errors ?? new Map(),
    downloads: `/h/${code}/files`,
  };
  return (
    <>
      {/* First, because the person needs it to answer. */}
      <Values view={view} reader={reader} />
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
        <HiddenInputs {...props} />
        {/* Enter in a text field presses the first button of a form, so that one must be harmless. */}
        <ActionButton action="save" class="visually-hidden" tabindex={-1} aria-hidden="true">
          {page.save}
        </ActionButton>
        <Intro root={model.root} title={session.title} />
        {/* Only a script autosaves, so a script shows this. */}
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
                context={context}
                comment={isChanging ? own(requestedChanges.fields, child.key) : undefined}
              />
            ))}
          </div>
        ))}
        <div class="actions">
          <ActionButton action="submit" class="primary">
            {view.submitLabel ?? page.submit}
          </ActionButton>
          <ActionButton action="save">{page.save}</ActionButton>
        </div>
        <details>
          <summary>{page.more}</summary>
          <div class="control">
            <label for="message">{page.message}</label>
            <textarea id="message" name="message" rows={3} dir="auto"></textarea>
          </div>
          <ActionButton action="handBack">{page.handBack}</ActionButton>
          {canPerform(view, "handoff") && <PassOn reader={reader} />}
          <DeclineOptions reader={reader} />
        </details>
      </form>
    </>
  );
}

/** The schema's title and description, unless the page shows them already. */
function Intro({ root, title }: { readonly root: JsonObject; readonly title: string | null }) {
  const node = resolveSchema(root, root) ?? {};
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

interface FieldProps extends TaskProps {
  readonly child: Child;
  readonly context: DrawContext;
  readonly comment: string | undefined;
}

/** A field of the form with its author, review comment and conflict. */
function Field({ view, state, reader, child, context, comment }: FieldProps) {
  const { session } = view;
  const { page } = reader.words;
  const meta = child.key === "" ? undefined : own(session.fieldMeta, child.key);
  // In a conflict the input has the person's own text.
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
      <Draw node={child.node} context={context} value={value} />
      {isHandled && (
        <p class="meta">
          {page.filledBy(byActorText(meta.actor, reader.words))}
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
            <legend>{isOwnField(view, key) ? page.ownConflict : page.conflict}</legend>
            <OptionInput kind="radio" name={choiceName(key)} value="mine" isChosen={false} required>
              {page.mine}
            </OptionInput>
            <OptionInput
              kind="radio"
              name={choiceName(key)}
              value="theirs"
              isChosen={false}
              required
            >
              {page.theirs(view.textOf(key, reader))}
            </OptionInput>
          </fieldset>
        ))}
    </div>
  );
}

function DecisionForm(props: TaskProps) {
  const { view, state, reader } = props;
  const { code, shown } = view;
  const { page } = reader.words;
  const typed = (name: string): string => state.typed?.get(name) ?? "";
  return (
    <>
      <Values view={view} reader={reader} all />
      <form id="form" method="post" action={`/h/${code}/act`} encType="multipart/form-data">
        <h2>{page.decide}</h2>
        <HiddenInputs {...props} />
        <div class="control">
          <label for="comment">{page.comment}</label>
          <textarea id="comment" name="comment" rows={3} dir="auto">
            {`\n${typed("comment")}`}
          </textarea>
        </div>
        <div class="actions">
          <ActionButton action="approve" class="primary">
            {view.submitLabel ?? page.approve}
          </ActionButton>
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
          <ActionButton action="requestChanges">{page.requestChanges}</ActionButton>
        </details>
        <details>
          <summary>{page.reject}</summary>
          <div class="control">
            <label for="reason">{page.reason}</label>
            <textarea id="reason" name="reason" rows={3} dir="auto">
              {`\n${typed("reason")}`}
            </textarea>
          </div>
          <ActionButton action="reject">{page.reject}</ActionButton>
        </details>
        <DeclineOptions reader={reader} />
      </form>
    </>
  );
}
