/** The page of one session: what it is, why it waits, what can be done, and everything that is in it. */
import { isTerminal } from "../../domain/session/state";
import type { Entered } from "../../gateway/console-door";
import { ActionLinks } from "./action-links";
import { Document } from "./document";
import { Frame } from "./frame";
import { Jobs, Lineage, People, Stops } from "./parts";
import type { Look } from "./look";
import type { ConsoleReader } from "./reader";
import { History } from "./history";
import { Why } from "./why";

interface SessionProps {
  readonly reader: ConsoleReader;
  readonly entered: Entered;
  readonly look: Look;
  readonly now: number;
  readonly notice?: string | undefined;
}

export function Session({ reader, entered, look, now, notice }: SessionProps) {
  const { session } = look;
  const words = reader.console;
  const title = session.title ?? words.untitled;
  return (
    <Frame
      title={title}
      reader={reader}
      entered={entered}
      notice={notice}
      live={{
        path: `/console/sessions/${session.id}/live?after=${session.head}`,
        parts: ["facts", "why", "document", "timeline", "people", "jobs", "stops", "lineage"],
      }}
    >
      <p>
        <a href="/console">{words.back}</a>
      </p>
      <h1 dir="auto">{title}</h1>
      <Facts look={look} reader={reader} />
      <div class="columns">
        <div>
          <section id="why" class="card">
            <h2>{words.session.why}</h2>
            {isTerminal(session.state) ? (
              <p>{words.session.over}</p>
            ) : (
              <Why look={look} now={now} reader={reader} />
            )}
          </section>
          <ActionLinks session={session} entered={entered} reader={reader} />
          <Document session={session} reader={reader} />
        </div>
        <div>
          <People look={look} entered={entered} now={now} reader={reader} />
          <Jobs look={look} reader={reader} />
          <Stops look={look} reader={reader} />
          <Lineage look={look} reader={reader} />
        </div>
      </div>
      <History look={look} reader={reader} />
    </Frame>
  );
}

function Facts({ look, reader }: Pick<SessionProps, "look" | "reader">) {
  const { session } = look;
  const words = reader.console.session;
  const when = (iso: string) => <time datetime={iso}>{reader.time(iso)}</time>;
  return (
    <section id="facts">
      <p class="chips">
        <span class={`chip ${session.state}`}>{reader.words.states[session.state]}</span>
        {session.paused && <span class="chip awaiting_input">{words.paused}</span>}
        {Object.entries(session.labels ?? {}).map(([name, value]) => (
          <span class="chip" dir="auto">
            {name}: {value}
          </span>
        ))}
      </p>
      <dl class="facts">
        <dt>{words.id}</dt>
        <dd>
          <code>{session.id}</code>
        </dd>
        {session.externalId !== undefined && (
          <>
            <dt>{words.externalId}</dt>
            <dd>
              <code dir="auto">{session.externalId}</code>
            </dd>
          </>
        )}
        <dt>{words.began}</dt>
        <dd>{when(session.createdAt)}</dd>
        <dt>{words.changed}</dt>
        <dd>{when(session.updatedAt)}</dd>
        <dt>{words.ends}</dt>
        <dd>{when(session.expiresAt)}</dd>
      </dl>
    </section>
  );
}
