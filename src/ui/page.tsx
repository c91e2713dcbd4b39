/** The person's page: what the work is, their part of it, what happened so far. */
import { Layout } from "./layout";
import { timeText, whoText } from "./text";
import { Timeline } from "./timeline";
import { isOver, type Visit } from "./visit";
import { DONE, PAGE, SCRIPT_WORDS, STATE_WORDS } from "./words";
import { Part, type PageState } from "./part";
import { Values } from "./values";

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
