/** The list of sessions: counts, charts, filters and one page of rows. Its state is in the address. */
import type { ConsoleLogin } from "../../gateway/console-sign-in";
import type { ListedView, ListPage, Overview } from "../../gateway/owner-gateway";
import { isWaitingLong } from "./session-sections";
import { Filters } from "./filters";
import { Frame, LinkButton } from "./frame";
import { AgesChart } from "./ages-chart";
import { StatesChart } from "./states-chart";
import { hrefOf, type ListParams } from "./list-params";
import type { ConsoleReader } from "./reader";

interface ListProps {
  readonly reader: ConsoleReader;
  readonly login: ConsoleLogin;
  readonly params: ListParams;
  /** Null if a filter is not valid. */
  readonly page: ListPage | null;
  readonly overview: Overview;
  readonly now: number;
}

export function List({ reader, login, params, page, overview, now }: ListProps) {
  const { list } = reader.console;
  return (
    <Frame
      title={list.title}
      reader={reader}
      login={login}
      live={{ path: "/console/live", parts: ["counts", "pictures", "sessions"] }}
    >
      <h1>{list.title}</h1>
      {page !== null && <Counts page={page} params={params} reader={reader} />}
      <section id="pictures" class="pictures">
        <StatesChart overview={overview} params={params} reader={reader} />
        <AgesChart overview={overview} now={now} reader={reader} />
      </section>
      <Filters params={params} reader={reader} />
      {params.problem !== null && (
        <p class="problems" role="alert">
          {list.wrong(params.problem)}
        </p>
      )}
      {page !== null && (
        <section id="sessions" aria-label={list.title}>
          {page.sessions.length > 0 ? (
            <Rows page={page} now={now} reader={reader} />
          ) : (
            <Empty page={page} params={params} reader={reader} />
          )}
          <p class="pages">
            {params.cursor !== null && <LinkButton href={hrefOf(params)} text={list.newest} />}
            {page.nextCursor !== null && (
              <LinkButton
                href={hrefOf(params, { cursor: String(page.nextCursor) })}
                text={list.older}
              />
            )}
          </p>
        </section>
      )}
    </Frame>
  );
}

interface PageProps extends Pick<ListProps, "params" | "now" | "reader"> {
  readonly page: ListPage;
}

function Counts({ page: { counts }, params, reader }: Omit<PageProps, "now">) {
  const { list, waits } = reader.console;
  const chosen = params.typed.get("waiting") ?? null;
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
          href={hrefOf(params, { waiting: kind })}
          {...(kind === chosen ? { "aria-current": "true" as const } : {})}
        >
          {word} <b>{reader.format(count)}</b>
        </a>
      ))}
    </nav>
  );
}

function Rows({ page: { sessions }, now, reader }: Omit<PageProps, "params">) {
  const {
    list,
    session: { changed, ends },
  } = reader.console;
  return (
    <>
      <p class="meta">{list.shown(reader.format(sessions.length))}</p>
      <table class="rows">
        <thead>
          <tr>
            {[list.session, list.state, list.waits, changed, ends].map((head) => (
              <th scope="col">{head}</th>
            ))}
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

interface SessionProps extends Pick<ListProps, "now" | "reader"> {
  readonly session: ListedView;
}

function Row({ session, now, reader }: SessionProps) {
  const { list, untitled, session: words } = reader.console;
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
            <a class="tag" href={hrefOf(NO_FILTERS, { label: `${name}:${value}` })} dir="auto">
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
      <td data-label={words.changed}>
        <time datetime={changedAt}>{reader.time(changedAt)}</time>
      </td>
      <td data-label={words.ends}>
        <time datetime={expiresAt}>{reader.time(expiresAt)}</time>
      </td>
    </tr>
  );
}

const NO_FILTERS = { typed: new Map(), span: "day" } as const;

export function Waiting({ session: { waiting }, now, reader }: SessionProps) {
  if (waiting === null) return <span class="meta">–</span>;
  const { list, waits } = reader.console;
  const ms = now - Date.parse(waiting.since);
  return (
    <span class={isWaitingLong(ms) ? "long" : ""}>
      {waits[waiting.for]}, {list.since(reader.age(ms))}
    </span>
  );
}

function Empty({ page, params, reader }: Omit<PageProps, "now">) {
  const { list } = reader.console;
  if (params.typed.size > 0 || params.cursor !== null) {
    return (
      <p class="card">
        {page.nextCursor === null ? list.none : list.soFar} <a href="/console">{list.clear}</a>
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
