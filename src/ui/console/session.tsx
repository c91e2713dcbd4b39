/** The page of one session: its facts, what it waits for, its actions, document, sections and history. */
import type { Child } from "hono/jsx";
import { isTerminal } from "../../domain/session/state";
import type { ConsoleLogin } from "../../gateway/console-sign-in";
import { Frame } from "./frame";
import { Jobs, Lineage, Participants, Stops } from "./session-sections";
import type { SessionDetails } from "./session-details";
import type { ConsoleReader } from "./reader";
import { History } from "./history";
import { WaitReason } from "./wait-reason";
import { ACTIONS, isAllowedInState, canPerform, type ActionName } from "./action-table";
import { own, type JsonObject } from "../../domain/json";
import { byActorText } from "../text";
import { valueText } from "../value-text";
import { titleOf } from "../page-view";

interface SessionProps {
  readonly reader: ConsoleReader;
  readonly login: ConsoleLogin;
  readonly details: SessionDetails;
  readonly now: number;
  readonly notice?: string | undefined;
}

export function Session({ reader, login, details, now, notice }: SessionProps) {
  const { session } = details;
  const words = reader.console;
  const title = session.title ?? words.untitled;
  return (
    <Frame
      title={title}
      reader={reader}
      login={login}
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
      <Facts details={details} reader={reader} />
      <div class="columns">
        <div>
          <section id="why" class="card">
            <h2>{words.session.why}</h2>
            {isTerminal(session.state) ? (
              <p>{words.session.over}</p>
            ) : (
              <WaitReason details={details} now={now} reader={reader} />
            )}
          </section>
          <ActionLinks details={details} login={login} reader={reader} />
          <Document details={details} reader={reader} />
        </div>
        <div>
          <Participants details={details} login={login} now={now} reader={reader} />
          <Jobs details={details} reader={reader} />
          <Stops details={details} reader={reader} />
          <Lineage details={details} reader={reader} />
        </div>
      </div>
      <History details={details} reader={reader} />
    </Frame>
  );
}

type SectionProps = Pick<SessionProps, "details" | "reader">;

const fact = (name: string, value: Child) => (
  <>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </>
);

function Facts({ details: { session }, reader }: SectionProps) {
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

/** Links to the pages that confirm an action. */
function ActionLinks({
  details: { session },
  login,
  reader,
}: Omit<SessionProps, "now" | "notice">) {
  const { actions } = reader.console;
  const names = (Object.keys(ACTIONS) as readonly ActionName[]).filter(
    (name) => name !== "revoke" && isAllowedInState(name, session),
  );
  const offered = names.filter((name) => canPerform(name, session, login.holder));
  const missingRights = [
    ...new Set(names.filter((name) => !offered.includes(name)).map((name) => ACTIONS[name].right)),
  ];
  const sessionPath = `/console/sessions/${session.id}`;
  const link = (name: ActionName) => (
    <a
      class={["button", name === "open" ? "primary" : "", isIrreversible(name) ? "bad" : ""].join(
        " ",
      )}
      href={`${sessionPath}/${name}`}
    >
      {actions[name].name}
    </a>
  );
  return (
    <nav class="acts" aria-label={actions.title}>
      {offered.filter((name) => !isIrreversible(name)).map(link)}
      <a class="button" href={`${sessionPath}/export`} download>
        {actions.export}
      </a>
      {offered.filter(isIrreversible).map(link)}
      {missingRights.map((right) => (
        <span class="meta">{actions.lacking(right)}</span>
      ))}
    </nav>
  );
}

const isIrreversible = (name: ActionName): boolean => "isForGood" in ACTIONS[name];

/** The session's document: its fields with their titles and authors, and the missing fields. */
function Document({ details: { session }, reader }: SectionProps) {
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
                    {valueText(own(fields, name), reader)}
                  </span>
                  {meta !== undefined && (
                    <span class="meta"> {words.by(byActorText(meta.actor, reader.words))}</span>
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
