/** The page of one session: what it is, why it waits, what can be done, and everything that is in it. */
import type { Child } from "hono/jsx";
import { isTerminal } from "../../domain/session/state";
import type { Entered } from "../../gateway/console-door";
import { Frame } from "./frame";
import { Jobs, Lineage, People, Stops } from "./parts";
import type { Look } from "./look";
import type { ConsoleReader } from "./reader";
import { History } from "./history";
import { Why } from "./why";
import { ACTIONS, fits, mayAct, type ActionName } from "./action-table";
import { own, type JsonObject } from "../../domain/json";
import { whoDid } from "../text";
import { shownText } from "../value-text";
import { titleOf } from "../visit";

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
          <ActionLinks look={look} entered={entered} reader={reader} />
          <Document look={look} reader={reader} />
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

type PartProps = Pick<SessionProps, "look" | "reader">;

const fact = (name: string, value: Child) => (
  <>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </>
);

function Facts({ look: { session }, reader }: PartProps) {
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
        {fact(words.id, <code>{session.id}</code>)}
        {session.externalId !== undefined &&
          fact(words.externalId, <code dir="auto">{session.externalId}</code>)}
        {fact(words.began, when(session.createdAt))}
        {fact(words.changed, when(session.updatedAt))}
        {fact(words.ends, when(session.expiresAt))}
      </dl>
    </section>
  );
}

/** What can be done to the session, as links to the pages that ask once more. */
function ActionLinks({ look: { session }, entered, reader }: Omit<SessionProps, "now" | "notice">) {
  const { actions } = reader.console;
  const names = (Object.keys(ACTIONS) as readonly ActionName[]).filter(
    (name) => name !== "revoke" && fits(name, session),
  );
  const offered = names.filter((name) => mayAct(name, session, entered.holder));
  const lacking = [
    ...new Set(names.filter((name) => !offered.includes(name)).map((name) => ACTIONS[name].right)),
  ];
  const here = `/console/sessions/${session.id}`;
  const link = (name: ActionName) => (
    <a
      class={["button", name === "open" ? "primary" : "", isBad(name) ? "bad" : ""].join(" ")}
      href={`${here}/${name}`}
    >
      {actions[name].name}
    </a>
  );
  return (
    <nav class="acts" aria-label={actions.title}>
      {offered.filter((name) => !isBad(name)).map(link)}
      <a class="button" href={`${here}/export`} download>
        {actions.export}
      </a>
      {offered.filter(isBad).map(link)}
      {lacking.map((right) => (
        <span class="meta">{actions.lacking(right)}</span>
      ))}
    </nav>
  );
}

const isBad = (name: ActionName): boolean => "isForGood" in ACTIONS[name];

/** The session's document: its fields under the titles of the schema, who filled them in, what is missing. */
function Document({ look: { session }, reader }: PartProps) {
  const words = reader.console.session;
  const { fields, fieldMeta, schema, missingFields } = session;
  const label = (field: string): string => titleOf(schema as JsonObject | null, field);
  const names = Object.keys(fields);
  return (
    <section id="document" class="card">
      <h2>{words.document}</h2>
      {names.length === 0 && <p>{words.noFields}</p>}
      {names.length > 0 && (
        <dl>
          {names.map((name) => {
            const meta = own(fieldMeta, name);
            return (
              <>
                <dt dir="auto">{label(name)}</dt>
                <dd>
                  <span class="value" dir="auto">
                    {shownText(own(fields, name), reader)}
                  </span>
                  {meta !== undefined && (
                    <span class="meta"> {words.by(whoDid(meta.actor, reader.words))}</span>
                  )}
                </dd>
              </>
            );
          })}
        </dl>
      )}
      {missingFields.length > 0 && (
        <p>
          {words.missing} <span dir="auto">{missingFields.map(label).join(", ")}</span>
        </p>
      )}
    </section>
  );
}
