/** A person's part of the work: the form to fill, or the decision to take. */
import { own } from "../domain/json";
import { Field, type FormView } from "./form";
import { may, type Visit } from "./visit";
import { DONE, PAGE } from "./words";
import { Values } from "./values";

export interface PageState {
  readonly view?: Partial<FormView>;
  readonly problem?: string | undefined;
  readonly done?: string | undefined;
  /** One a drawn form: a double tap is one write. */
  readonly key: string;
}

export function Part(props: { readonly visit: Visit; readonly state: PageState }) {
  const { visit } = props;
  if (visit.isDeclined) {
    return (
      <>
        <p class="notice">{DONE["decline"]}</p>
        <Values visit={visit} />
      </>
    );
  }
  if (may(visit, "setFields")) return <Form {...props} />;
  if (may(visit, "approve")) return <Decision {...props} />;
  const canAct = visit.me.scopes.includes("fill") || visit.me.scopes.includes("review");
  return (
    <>
      <p class="notice">{canAct ? PAGE.waiting : PAGE.nothingToDo}</p>
      <Values visit={visit} />
      {may(visit, "handoff") && (
        <form method="post" action={`/h/${visit.code}/act`} encType="multipart/form-data">
          <Hidden {...props} />
          <PassOn />
        </form>
      )}
    </>
  );
}

function Hidden({ visit, state }: { readonly visit: Visit; readonly state: PageState }) {
  const { session, specs } = visit;
  const base = Object.fromEntries(
    specs.flatMap(({ key }) => {
      const value = own(session.fields, key);
      return value === undefined ? [] : [[key, value]];
    }),
  );
  return (
    <>
      <input type="hidden" name="version" value={String(session.version)} />
      <input type="hidden" name="key" value={state.key} />
      <input type="hidden" name="base" value={JSON.stringify(base)} />
    </>
  );
}

function Form({ visit, state }: { readonly visit: Visit; readonly state: PageState }) {
  const { session, specs, code } = visit;
  const { requestedChanges } = session.review;
  const isChanging = session.state === "awaiting_input" && requestedChanges !== undefined;
  const view: FormView = {
    typed: null,
    errors: new Map(),
    conflicts: new Set(),
    meta: session.fieldMeta,
    comments: isChanging ? requestedChanges.fields : {},
    downloads: `/h/${code}/files`,
    isUploading: true,
    ...state.view,
  };
  return (
    <form
      id="form"
      method="post"
      action={`/h/${code}/act`}
      encType="multipart/form-data"
      noValidate
      autocomplete="off"
    >
      <h2>{PAGE.form}</h2>
      {isChanging && (
        <p class="comment">
          <b>{PAGE.requested}</b> {requestedChanges.comment ?? ""}
        </p>
      )}
      <Hidden visit={visit} state={state} />
      {/* Enter in a text field presses the first button of a form: it must be the harmless one. */}
      <button
        type="submit"
        name="action"
        value="save"
        class="visually-hidden"
        tabindex={-1}
        aria-hidden="true"
      >
        {PAGE.save}
      </button>
      {specs.map((spec) => (
        <Field spec={spec} value={own(session.fields, spec.key)} view={view} />
      ))}
      <div class="actions">
        {may(visit, "submit") && (
          <button type="submit" name="action" value="submit" class="primary">
            {visit.submitLabel ?? PAGE.submit}
          </button>
        )}
        <button type="submit" name="action" value="save">
          {PAGE.save}
        </button>
      </div>
      <details>
        <summary>{PAGE.more}</summary>
        <div class="control">
          <label for="message">{PAGE.message}</label>
          <textarea id="message" name="message" rows={3}></textarea>
        </div>
        <button type="submit" name="action" value="handBack">
          {PAGE.handBack}
        </button>
        {may(visit, "handoff") && <PassOn />}
        <Declining />
      </details>
      {visit.shown.length > 0 && <Values visit={visit} />}
    </form>
  );
}

function Declining() {
  return (
    <div class="control">
      <label for="declining">{PAGE.reason}</label>
      <textarea id="declining" name="declining" rows={2}></textarea>
      <button type="submit" name="action" value="decline">
        {PAGE.decline}
      </button>
    </div>
  );
}

function PassOn() {
  return (
    <div class="control">
      <p class="help">{PAGE.passOnHelp}</p>
      <button type="submit" name="action" value="passOn">
        {PAGE.passOn}
      </button>
    </div>
  );
}

function Decision({ visit, state }: { readonly visit: Visit; readonly state: PageState }) {
  const { code } = visit;
  const specs = [...visit.specs, ...visit.shown];
  return (
    <>
      <Values visit={visit} />
      <form id="form" method="post" action={`/h/${code}/act`} encType="multipart/form-data">
        <h2>{PAGE.review}</h2>
        <Hidden visit={visit} state={state} />
        <div class="control">
          <label for="comment">{PAGE.comment}</label>
          <textarea id="comment" name="comment" rows={3}>
            {`\n${state.view?.typed?.get("comment") ?? ""}`}
          </textarea>
        </div>
        <div class="actions">
          <button type="submit" name="action" value="approve" class="primary">
            {PAGE.approve}
          </button>
        </div>
        <details>
          <summary>{PAGE.requestChanges}</summary>
          {specs.map((spec) => (
            <div class="control">
              <label for={`comment/${spec.name}`}>{PAGE.commentOn(spec.label)}</label>
              <input
                type="text"
                id={`comment/${spec.name}`}
                name={`comment/${spec.name}`}
                value={state.view?.typed?.get(`comment/${spec.name}`) ?? ""}
              />
            </div>
          ))}
          <button type="submit" name="action" value="requestChanges">
            {PAGE.requestChanges}
          </button>
        </details>
        <details>
          <summary>{PAGE.reject}</summary>
          <div class="control">
            <label for="reason">{PAGE.reason}</label>
            <textarea id="reason" name="reason" rows={3}>
              {`\n${state.view?.typed?.get("reason") ?? ""}`}
            </textarea>
          </div>
          <button type="submit" name="action" value="reject">
            {PAGE.reject}
          </button>
        </details>
        <details>
          <summary>{PAGE.decline}</summary>
          <Declining />
        </details>
      </form>
    </>
  );
}
