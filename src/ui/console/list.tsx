/** The list of sessions: counts, pictures, filters that live in the address, and one page of rows. */
import type { Entered } from "../../gateway/console-door";
import type { ListedView, ListPage, Overview } from "../../gateway/owner-gateway";
import { isWaitingLong } from "./parts";
import { Filters } from "./filters";
import { Frame } from "./frame";
import { AgesPicture } from "./ages-picture";
import { StatesPicture } from "./states-picture";
import { hrefOf, type Looking } from "./query";
import type { ConsoleReader } from "./reader";

interface ListProps {
  readonly reader: ConsoleReader;
  readonly entered: Entered;
  readonly looking: Looking;
  /** Null where a filter cannot be used. */
  readonly page: ListPage | null;
  readonly overview: Overview;
  readonly now: number;
  readonly notice?: string | undefined;
}

export function List(props: ListProps) {
  const { reader, entered, looking, page, overview, now, notice } = props;
  const { list } = reader.console;
  const isFiltered = looking.typed.size > 0;
  return (
    <Frame
      title={list.title}
      reader={reader}
      entered={entered}
      notice={notice}
      live={{ path: "/console/live", parts: ["counts", "pictures", "sessions"] }}
    >
      <h1>{list.title}</h1>
      {page !== null && <Counts page={page} looking={looking} reader={reader} />}
      <section id="pictures" class="pictures">
        <StatesPicture overview={overview} looking={looking} reader={reader} />
        <AgesPicture overview={overview} now={now} reader={reader} />
      </section>
      <Filters looking={looking} reader={reader} />
      {looking.problem !== null && (
        <p class="problems" role="alert">
          {list.wrong(looking.problem)}
        </p>
      )}
      {page !== null && (
        <section id="sessions" aria-label={list.title}>
          {page.sessions.length > 0 ? (
            <Rows page={page} now={now} reader={reader} />
          ) : (
            <Empty
              isFiltered={isFiltered || looking.cursor !== null}
              hasMore={page.nextCursor !== null}
              reader={reader}
            />
          )}
          <p class="pages">
            {looking.cursor !== null && (
              <a class="button" href={hrefOf(looking)}>
                {list.newest}
              </a>
            )}
            {page.nextCursor !== null && (
              <a class="button" href={hrefOf(looking, { cursor: String(page.nextCursor) })}>
                {list.older}
              </a>
            )}
          </p>
        </section>
      )}
    </Frame>
  );
}

function Counts({
  page: { counts },
  looking,
  reader,
}: Pick<ListProps, "looking" | "reader"> & { readonly page: ListPage }) {
  const { list, waits } = reader.console;
  const chosen = looking.typed.get("waiting") ?? null;
  const choices: readonly (readonly [string | null, string, number])[] = [
    [null, list.all, counts.total],
    ...Object.entries(waits).flatMap(([kind, word]) =>
      (counts.waiting[kind] ?? 0) > 0
        ? [[kind, `${list.waits} ${word}`, counts.waiting[kind] ?? 0] as const]
        : [],
    ),
  ];
  return (
    <nav id="counts" class="chips" aria-label={list.waits}>
      {choices.map(([kind, word, count]) => (
        <a
          class="chip"
          href={hrefOf(looking, { waiting: kind })}
          {...(kind === chosen ? { "aria-current": "true" as const } : {})}
        >
          {word} <b>{reader.format(count)}</b>
        </a>
      ))}
    </nav>
  );
}

function Rows({
  page: { sessions },
  now,
  reader,
}: Pick<ListProps, "now" | "reader"> & { readonly page: ListPage }) {
  const { list } = reader.console;
  return (
    <>
      <p class="meta">{list.shown(reader.format(sessions.length))}</p>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">{list.session}</th>
            <th scope="col">{list.state}</th>
            <th scope="col">{list.waits}</th>
            <th scope="col">{reader.console.session.changed}</th>
            <th scope="col">{reader.console.session.ends}</th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((session) => (
            <Row session={session} now={now} reader={reader} />
          ))}
        </tbody>
      </table>
    </>
  );
}

function Row({
  session,
  now,
  reader,
}: Pick<ListProps, "now" | "reader"> & { readonly session: ListedView }) {
  const { list, untitled } = reader.console;
  const { id, title, state, externalId, labels, changedAt, expiresAt } = session;
  return (
    <tr>
      <th scope="row">
        <a href={`/console/sessions/${id}`} dir="auto">
          {title ?? untitled}
        </a>
        <span class="tags">
          {externalId !== undefined && <code dir="auto">{externalId}</code>}
          {Object.entries(labels).map(([name, value]) => (
            <a class="tag" href={hrefOf(ALL, { label: `${name}:${value}` })} dir="auto">
              {name}: {value}
            </a>
          ))}
        </span>
      </th>
      <td data-label={list.state}>
        <span class={`chip ${state}`}>{reader.words.states[state]}</span>
      </td>
      <td data-label={list.waits}>
        <Waiting session={session} now={now} reader={reader} />
      </td>
      <td data-label={reader.console.session.changed}>
        <time datetime={changedAt}>{reader.time(changedAt)}</time>
      </td>
      <td data-label={reader.console.session.ends}>
        <time datetime={expiresAt}>{reader.time(expiresAt)}</time>
      </td>
    </tr>
  );
}

const ALL = { typed: new Map(), span: "day" } as const;

export function Waiting({
  session: { waiting },
  now,
  reader,
}: {
  readonly session: ListedView;
  readonly now: number;
  readonly reader: ConsoleReader;
}) {
  if (waiting === null) return <span class="meta">–</span>;
  const { list, waits } = reader.console;
  const ms = now - Date.parse(waiting.since);
  return (
    <span class={isWaitingLong(ms) ? "long" : ""}>
      {waits[waiting.for]}, {list.since(reader.age(ms))}
    </span>
  );
}

function Empty({
  isFiltered,
  hasMore,
  reader,
}: {
  readonly isFiltered: boolean;
  readonly hasMore: boolean;
  readonly reader: ConsoleReader;
}) {
  const { list } = reader.console;
  if (isFiltered) {
    return (
      <p class="card">
        {hasMore ? list.soFar : list.none} <a href="/console">{list.clear}</a>
      </p>
    );
  }
  return (
    <div class="card">
      <p>{list.empty}</p>
      <p>{list.begin}</p>
      <pre>{`baton new "My first session"`}</pre>
    </div>
  );
}
