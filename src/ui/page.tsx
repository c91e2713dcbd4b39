/** The person's page: what the work is, their part of it, what happened so far. */
import { own } from "../domain/json";
import { Field, fileIdOf as fileId, shown, type FormView } from "./form";
import { Layout } from "./layout";
import { timeText, whoText } from "./text";
import { Timeline } from "./timeline";
import { isOver, may, type Visit } from "./visit";
import { DONE, PAGE, PASSED, SCRIPT_WORDS, STATE_WORDS } from "./words";

export interface PageState {
  readonly view?: Partial<FormView>;
  readonly problem?: string | undefined;
  readonly done?: string | undefined;
  /** One a drawn form: a double tap is one write. */
  readonly key: string;
}

export function Page({ visit, state }: { readonly visit: Visit; readonly state: PageState }) {
  const { session, code } = visit;
  const title = session.title ?? PAGE.untitled;
  return (
    <Layout
      title={title}
      script="/assets/page.js"
      data={{
        "data-code": code,
        "data-head": String(session.head),
        "data-version": String(session.version),
        "data-state": session.state,
        "data-over": String(isOver(visit)),
        "data-words": JSON.stringify(SCRIPT_WORDS),
      }}
    >
      <Status visit={visit} />
      <p id="live" class="notice" role="status" aria-live="polite">
        {state.done === undefined ? "" : (DONE[state.done] ?? "")}
      </p>
      {state.problem !== undefined && <Problems visit={visit} state={state} />}
      {isOver(visit) ? <Receipt visit={visit} /> : <Part visit={visit} state={state} />}
      <Timeline events={visit.events} />
    </Layout>
  );
}

function Status({ visit }: { readonly visit: Visit }) {
  const { session, asked, me } = visit;
  const needed = [
    ...new Set([
      ...session.missingFields,
      ...visit.specs.filter((spec) => spec.isRequired).map(({ key }) => key),
    ]),
  ];
  const done = needed.length - session.missingFields.length;
  const until = me.expiresAt ?? session.expiresAt;
  return (
    <header id="status">
      <h1>{session.title ?? PAGE.untitled}</h1>
      <p class="chips">
        <span class={`chip ${session.state}`}>{STATE_WORDS[session.state]}</span>
        {!isOver(visit) && (
          <span class="chip">
            {PAGE.timeLeft("")}
            <time datetime={until}>{timeText(until)}</time>
          </span>
        )}
      </p>
      {asked !== null && (
        <blockquote>
          <b>{PAGE.noteFrom(whoText(asked.by))}</b>
          <p>{asked.note}</p>
        </blockquote>
      )}
      {needed.length > 0 && (
        <p class="progress">
          <progress
            max={needed.length}
            value={done}
            aria-label={PAGE.progress(done, needed.length)}
          ></progress>
          <span>{PAGE.progress(done, needed.length)}</span>
        </p>
      )}
    </header>
  );
}

function Problems({ visit, state }: { readonly visit: Visit; readonly state: PageState }) {
  const errors = state.view?.errors ?? new Map<string, string>();
  return (
    <section class="problems" role="alert" tabindex={-1} id="problems">
      <h2>{state.problem}</h2>
      {errors.size > 0 && (
        <>
          <p>{PAGE.errors}</p>
          <ul>
            {[...errors].map(([key, message]) => {
              const spec = visit.specs.find((one) => one.key === key);
              return (
                <li>
                  <a href={`#${spec?.name ?? ""}`}>{spec?.label ?? key}</a>: {message}
                </li>
              );
            })}
          </ul>
        </>
      )}
    </section>
  );
}

function Part(props: { readonly visit: Visit; readonly state: PageState }) {
  const { visit } = props;
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
            {PAGE.submit}
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
      </details>
    </form>
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
  const { specs, code } = visit;
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
      </form>
    </>
  );
}

function Values({ visit }: { readonly visit: Visit }) {
  const { session, specs, code } = visit;
  return (
    <section id="values" aria-labelledby="values-title">
      <h2 id="values-title">{PAGE.values}</h2>
      <dl>
        {specs.map((spec) => {
          const value = own(session.fields, spec.key);
          const meta = own(session.fieldMeta, spec.key);
          const id = spec.kind === "file" ? fileId(value) : null;
          return (
            <>
              <dt>{spec.label}</dt>
              <dd>
                {id === null ? (
                  <span class="value">{shown(value)}</span>
                ) : (
                  <a href={`/h/${code}/files/${id}`}>{shown(value)}</a>
                )}
                {meta !== undefined && (
                  <span class="meta"> {PAGE.filledBy(whoText(meta.actor))}</span>
                )}
              </dd>
            </>
          );
        })}
      </dl>
    </section>
  );
}

function Receipt({ visit }: { readonly visit: Visit }) {
  const { session } = visit;
  return (
    <>
      <section class="card" id="receipt">
        <h2>{PAGE.receipt}</h2>
        <p>{PAGE.receiptText}</p>
        <p>
          {STATE_WORDS[session.state]}:{" "}
          <time datetime={session.updatedAt}>{timeText(session.updatedAt)}</time>
        </p>
        {session.review.rejectedBecause !== undefined && (
          <p>
            {PAGE.reason}: {session.review.rejectedBecause}
          </p>
        )}
        <p class="meta">
          {PAGE.number} {session.id}
        </p>
      </section>
      <Values visit={visit} />
    </>
  );
}

export interface PassedProps {
  readonly code: string;
  readonly sessionId: string;
  readonly publicUrl: string;
  readonly token: string;
}

export function Passed({ code, sessionId, publicUrl, token }: PassedProps) {
  return (
    <Layout
      title={PASSED.title}
      script="/assets/page.js"
      data={{ "data-words": JSON.stringify(SCRIPT_WORDS) }}
    >
      <h1>{PASSED.title}</h1>
      <p class="problems">{PASSED.warning}</p>
      <p id="live" class="notice" role="status" aria-live="polite"></p>
      <div class="control">
        <label for="token">{PASSED.token}</label>
        <input id="token" type="text" readonly value={token} />
        <button type="button" data-copy="token" hidden>
          {PASSED.copy}
        </button>
      </div>
      <div class="control">
        <label for="prompt">{PASSED.prompt}</label>
        <textarea id="prompt" rows={8} readonly>
          {`\n${PASSED.text(sessionId, publicUrl, token)}`}
        </textarea>
        <button type="button" data-copy="prompt" hidden>
          {PASSED.copy}
        </button>
      </div>
      <p>
        <a href={`/h/${code}`}>{PASSED.back}</a>
      </p>
    </Layout>
  );
}
