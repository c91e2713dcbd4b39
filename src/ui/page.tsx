/** The person's page: the question, the form or decision, the receipt, and the folded history. */
import { path as offlineWorker } from "browser:offline";
import { path as script } from "browser:page";
import { UnsentDraft } from "./landing";
import { Layout } from "./layout";
import { choiceName } from "./form/answers";
import { labelsIn } from "./form/problems";
import { Task, type TaskProps } from "./task";
import { actorAtStart } from "./text";
import { Timeline } from "./timeline";
import { Values } from "./values";
import { hasEnded, canPerform } from "./page-view";

export function Page({ view, state, reader: baseReader }: TaskProps) {
  const { session, code, fileNames } = view;
  const reader = { ...baseReader, fileNames };
  const { words } = reader;
  const done: Readonly<Record<string, string>> = words.done;
  return (
    <Layout
      title={session.title ?? words.page.untitled}
      reader={reader}
      href={`/h/${code}`}
      script={script}
      data={{
        "data-code": code,
        "data-draft": `${session.id}/${view.me.id}`,
        "data-head": String(session.head),
        "data-state": session.state,
        "data-over": String(hasEnded(view)),
        "data-worker": offlineWorker,
        "data-words": JSON.stringify({
          ...words.script,
          zone: words.page.zone,
          removeFile: words.page.removeFile("{name}"),
          required: words.errors.required,
          choose: words.errors.choose,
          consent: words.errors.consent,
          file: words.errors.file,
        }),
      }}
    >
      <Status view={view} reader={reader} />
      <p id="live" class="notice" role="status" aria-live="polite">
        {/* A person who declined reads it below, also after a reload. */}
        {state.done === undefined || view.isDeclined ? "" : (done[state.done] ?? "")}
      </p>
      {state.problem !== undefined && <Problems view={view} state={state} reader={reader} />}
      {hasEnded(view) ? (
        <Receipt view={view} reader={reader} />
      ) : (
        <Task view={view} state={state} reader={reader} />
      )}
      {state.hasReceipt === true && (
        <p>
          <a class="button" href={`/h/${code}/receipt`}>
            {words.page.signedReceipt}
          </a>
        </p>
      )}
      <Timeline view={view} reader={reader} />
    </Layout>
  );
}

function Status({ view, reader }: Pick<TaskProps, "view" | "reader">) {
  const { session, requestedBy: sender, me, question, note } = view;
  const { words } = reader;
  const until = me.expiresAt ?? session.expiresAt;
  const isOpen = canPerform(view, "setFields") || canPerform(view, "approve");
  return (
    <header id="status">
      <p class="chips">
        {view.isDeclined && !hasEnded(view) ? (
          <span class="chip">{words.page.declined}</span>
        ) : (
          <span class={`chip ${session.state}`}>{words.states[session.state]}</span>
        )}
        {isOpen && (
          <span class="chip">
            {words.page.until} <time datetime={until}>{reader.time(until)}</time>
          </span>
        )}
      </p>
      <h1 dir="auto">{session.title ?? words.page.untitled}</h1>
      {(question !== null || note !== null) && (
        <blockquote>
          {sender !== null && <b dir="auto">{words.page.asks(actorAtStart(sender, words))}</b>}
          {question !== null && (
            <p class="question" dir="auto">
              {question}
            </p>
          )}
          {note !== null && <p dir="auto">{note}</p>}
        </blockquote>
      )}
    </header>
  );
}

function Problems({ view, state, reader }: TaskProps) {
  const errors = state.errors ?? new Map<string, string>();
  const labels = labelsIn(view.model(state.typed ?? null).children);
  const conflicts = [...(state.conflicts ?? [])];
  return (
    <section class="problems" role="alert" tabindex={-1} id="problems">
      <h2>{state.problem}</h2>
      {errors.size + conflicts.length > 0 && (
        <ul>
          {conflicts.map((key) => (
            <li>
              <a href={`#${choiceName(key)}`} dir="auto">
                {view.labelOf(key)}
              </a>
            </li>
          ))}
          {[...errors].map(([name, message]) => (
            <li>
              <a href={`#${name}`}>
                <bdi>{withColon(labels.get(name) || reader.words.page.answer)}</bdi> {message}
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Adds a colon unless the label ends with a mark of its own. */
const withColon = (label: string): string => (/[?!.:؟]$/.test(label) ? label : `${label}:`);

function Receipt({ view, reader }: Pick<TaskProps, "view" | "reader">) {
  const { session } = view;
  const { words } = reader;
  const endTexts: Readonly<Record<string, string>> = words.over;
  return (
    <>
      <section class="card" id="receipt">
        <h2>{session.state === "finalized" ? words.page.receipt : words.states[session.state]}</h2>
        <p>{endTexts[session.state] ?? ""}</p>
        <p>
          {words.states[session.state]}:{" "}
          <time datetime={session.updatedAt}>{reader.time(session.updatedAt)}</time>
        </p>
        {session.review.rejectedBecause !== undefined && (
          <p dir="auto">
            {words.page.reason}: {session.review.rejectedBecause}
          </p>
        )}
        <p class="meta">
          {words.page.number}: <span dir="ltr">{session.id}</span>
        </p>
        <p>
          <button type="button" data-print="" hidden>
            {words.page.print}
          </button>
        </p>
      </section>
      <UnsentDraft reader={reader} />
      <Values view={view} reader={reader} all />
    </>
  );
}
