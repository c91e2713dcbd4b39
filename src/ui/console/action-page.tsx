/** The page that confirms an action, and the pages that show its result. */
import type { JsonObject } from "../../domain/json";
import { CREATOR_SCOPES, SCOPES } from "../../domain/participants/scope";
import type { SessionView } from "../../domain/session/view";
import { LIMITS } from "../../domain/limits";
import type { ConsoleLogin } from "../../gateway/console-sign-in";
import type { Texts } from "../form/node";
import { actorText } from "../text";
import { ACTIONS, type ActionName, LIFETIMES } from "./action-table";
import { FormToken, LinkButton, NarrowPage } from "./frame";
import type { ConsoleReader } from "./reader";

interface ActionProps {
  readonly name: ActionName;
  readonly session: SessionView;
  readonly login: ConsoleLogin;
  readonly reader: ConsoleReader;
  /** The form's texts and its problem, if it is shown again. */
  readonly typed?: Texts | undefined;
  readonly problem?: string | undefined;
}

export function ActionPage({ name, session, login, reader, typed, problem }: ActionProps) {
  const { actions, untitled } = reader.console;
  const words = actions[name];
  const sessionPath = `/console/sessions/${session.id}`;
  const participant = typed?.get("participant") ?? "";
  const who = session.participants.find(({ id }) => id === participant);
  const text =
    typeof words.text === "string"
      ? words.text
      : words.text(
          who === undefined ? participant : `${actorText(who.actor, reader.words)} (${who.id})`,
        );
  const isIrreversible = "isForGood" in ACTIONS[name];
  return (
    <NarrowPage title={words.name} reader={reader} login={login}>
      <p class="lead" dir="auto">
        {session.title ?? untitled}
      </p>
      <p class="sentence">{text}</p>
      {problem !== undefined && (
        <p class="problems" role="alert">
          {problem}
        </p>
      )}
      <form method="post" action={`${sessionPath}/${name}`} class="card">
        <FormToken login={login} />
        {name === "revoke" && <input type="hidden" name="participant" value={participant} />}
        {name === "open" && <ScopesInput reader={reader} />}
        {(name === "open" || name === "extend") && <LifetimeInput name={name} reader={reader} />}
        {name === "labels" && <LabelsInput session={session} typed={typed} reader={reader} />}
        {(name === "cancel" || name === "pause") && <ReasonInput reader={reader} />}
        {name === "purge" && (
          <label class="option">
            <input type="checkbox" name="confirm" value="yes" required />
            <span>{actions.confirm}</span>
          </label>
        )}
        <p class="actions">
          <button type="submit" class={isIrreversible ? "primary bad" : "primary"}>
            {"button" in words ? words.button : words.name}
          </button>
          <LinkButton href={sessionPath} text={actions.goBack} />
        </p>
      </form>
    </NarrowPage>
  );
}

type ReaderProps = Pick<ActionProps, "reader">;

/** A key cannot grant review: reviewers are added by handoff. */
function ScopesInput({ reader }: ReaderProps) {
  return (
    <fieldset>
      <legend>{reader.console.actions.scopes}</legend>
      {SCOPES.filter((scope) => scope !== "review").map((scope) => (
        <label class="option">
          <input
            type="checkbox"
            name={`scope/${scope}`}
            value="yes"
            checked={CREATOR_SCOPES.includes(scope)}
          />
          <span>{reader.console.scopes[scope]}</span>
        </label>
      ))}
    </fieldset>
  );
}

function LifetimeInput({ name, reader }: ReaderProps & { readonly name: "open" | "extend" }) {
  const defaultLife = name === "open" ? "day" : "week";
  return (
    <div class="control">
      <label for="life">{reader.console.actions.life}</label>
      <select id="life" name="life">
        {(Object.keys(LIFETIMES) as readonly (keyof typeof LIFETIMES)[]).map((lifetime) => (
          <option value={lifetime} selected={lifetime === defaultLife}>
            {reader.console.lives[lifetime]}
          </option>
        ))}
      </select>
    </div>
  );
}

function ReasonInput({ reader }: ReaderProps) {
  return (
    <div class="control">
      <label for="reason">{reader.words.page.reason}</label>
      <input id="reason" name="reason" type="text" dir="auto" maxlength={LIMITS.textLength} />
    </div>
  );
}

function LabelsInput({
  session,
  typed,
  reader,
}: Pick<ActionProps, "session" | "typed" | "reader">) {
  const { actions, session: words } = reader.console;
  const now = Object.entries(session.labels ?? {}).map(([name, value]) => `${name}=${value}`);
  return (
    <div class="control">
      <label for="labels">{words.labels}</label>
      <p class="help" id="labels-help">
        {actions.labels.text}
      </p>
      <textarea id="labels" name="labels" rows={6} dir="auto" aria-describedby="labels-help">
        {`\n${typed?.get("labels") ?? now.join("\n")}`}
      </textarea>
    </div>
  );
}

interface OpenedPageProps extends Pick<ActionProps, "reader" | "login" | "session"> {
  readonly token: string;
  readonly publicUrl: string;
  readonly endsAt: string | null;
}

/** The only page of the console that shows a token. It is shown once. */
export function OpenedPage({ reader, login, session, token, publicUrl, endsAt }: OpenedPageProps) {
  const { opened } = reader.console;
  const cli = `BATON_URL=${publicUrl} baton resume -`;
  const agent = `Continue the work in Baton session ${session.id}.
With the Baton MCP server: call the tool that resumes a session with the token below.
Over HTTP: POST ${publicUrl}/sessions/${session.id}/resume with the header "Authorization: Bearer <token>". Every write answers with the next token; always use the newest.
Token: ${token}`;
  const copied = (id: "token" | "cli" | "agent", text: string, rows: number) => (
    <div class="control">
      <label for={id}>{opened[id]}</label>
      <textarea id={id} rows={rows} readonly dir="ltr" class="code">
        {`\n${text}`}
      </textarea>
      <button type="button" data-copy={id} hidden>
        {reader.words.passed.copy}
        <span class="visually-hidden"> {opened[id]}</span>
      </button>
    </div>
  );
  return (
    <NarrowPage title={opened.title} reader={reader} login={login}>
      <p class="problems">{opened.warning}</p>
      {endsAt !== null && <p>{opened.until(reader.time(endsAt))}</p>}
      {copied("token", token, 3)}
      {copied("cli", cli, 3)}
      {copied("agent", agent, 9)}
      <p>
        <LinkButton href={`/console/sessions/${session.id}`} text={opened.back} />
      </p>
    </NarrowPage>
  );
}

interface RemovedPageProps extends Pick<ActionProps, "reader" | "login"> {
  readonly certificate: JsonObject;
}

export function RemovedPage({ reader, login, certificate }: RemovedPageProps) {
  const { removed, back } = reader.console;
  return (
    <NarrowPage title={removed.title} reader={reader} login={login}>
      <p>{removed.text}</p>
      <pre tabindex={0}>{JSON.stringify(certificate, null, 2)}</pre>
      <p>
        <LinkButton href="/console" text={back} />
      </p>
    </NarrowPage>
  );
}
