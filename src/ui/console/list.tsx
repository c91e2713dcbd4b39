/** The list of sessions: counts, pictures, filters that live in the address, and one page of rows. */
import type { Entered } from "../../gateway/console-door";
import type { ListedView, ListPage, Overview } from "../../gateway/owner-gateway";
import { isWaitingLong } from "./parts";
import { Filters } from "./filters";
import { Frame, LinkButton } from "./frame";
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
}

export function List({ reader, entered, looking, page, overview, now }: ListProps) {
  const { list } = reader.console;
  return (
    <Frame
      title={list.title}
      reader={reader}
      entered={entered}
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
            <Empty page={page} looking={looking} reader={reader} />
          )}
          <p class="pages">
            {looking.cursor !== null && <LinkButton href={hrefOf(looking)} text={list.newest} />}
            {page.nextCursor !== null && (
              <LinkButton
                href={hrefOf(looking, { cursor: String(page.nextCursor) })}
                text={list.older}
              />
            )}
          </p>
        </section>
      )}
    </Frame>
  );
}

interface PageProps extends Pick<ListProps, "looking" | "now" | "reader"> {
  readonly page: ListPage;
}

function Counts({ page: { counts }, looking, reader }: Omit<PageProps, "now">) {
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

function Rows({ page: { sessions }, now, reader }: Omit<PageProps, "looking">) {
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
      <td data-label={words.changed}>
        <time datetime={changedAt}>{reader.time(changedAt)}</time>
      </td>
      <td data-label={words.ends}>
        <time datetime={expiresAt}>{reader.time(expiresAt)}</time>
      </td>
    </tr>
  );
}

const ALL = { typed: new Map(), span: "day" } as const;

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

function Empty({ page, looking, reader }: Omit<PageProps, "now">) {
  const { list } = reader.console;
  if (looking.typed.size > 0 || looking.cursor !== null) {
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
