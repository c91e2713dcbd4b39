/** The pages of a link before it is opened, and if it cannot be opened. They must show nothing private. */
import { path as script } from "browser:page";
import type { LinkCode } from "../domain/links/link-code";
import { LIMITS } from "../domain/limits";
import { ActionButton } from "./form/action-button";
import { Layout } from "./layout";
import type { Words } from "./words/en";
import type { Reader } from "./words/index";

interface LandingProps {
  readonly code: LinkCode;
  readonly nonce: string;
  readonly reader: Reader;
  /** The name of this deployment. */
  readonly publicName: string | null;
  readonly host: string;
  /** Set if the sender allows it. */
  readonly title: string | null;
  readonly expiresAt: number | null;
}

export function Landing(props: LandingProps) {
  const { code, nonce, reader, publicName, host, title, expiresAt } = props;
  const { landing } = reader.words;
  const heading = publicName === null ? landing.titleUnknown : landing.title(publicName);
  const until = expiresAt === null ? null : new Date(expiresAt).toISOString();
  return (
    <Layout title={heading} reader={reader} href={`/h/${code}`} script={script}>
      <h1>{heading}</h1>
      {title !== null && <p class="lead">{landing.about(title)}</p>}
      <p>{landing.what}</p>
      {until !== null && (
        <p>
          {landing.until} <time datetime={until}>{reader.time(until)}</time>.
        </p>
      )}
      <form method="post" action={`/h/${code}`} class="card">
        <input type="hidden" name="nonce" value={nonce} />
        <div class="control">
          <label for="name">{landing.name}</label>
          <p class="help" id="name-help">
            {landing.nameHelp}
          </p>
          <input
            id="name"
            name="name"
            type="text"
            dir="auto"
            maxlength={LIMITS.actorIdLength}
            autocomplete="name"
            aria-describedby="name-help"
          />
        </div>
        <button type="submit" class="primary">
          {landing.open}
        </button>
        <p class="help">{landing.note}</p>
      </form>
      <p class="help">{landing.doubt(publicName === null ? host : `${publicName} (${host})`)}</p>
      {/* Folded, because one press closes the link for good. */}
      <details>
        <summary>{landing.notMe}</summary>
        <form method="post" action={`/h/${code}`}>
          <input type="hidden" name="nonce" value={nonce} />
          <p id="not-me-help">{landing.notMeHelp}</p>
          <ActionButton action="notMe" aria-describedby="not-me-help">
            {landing.closeLink}
          </ActionButton>
        </form>
      </details>
    </Layout>
  );
}

/** The form for a code that came on paper or by voice. */
export function EnterCode({
  reader,
  typed,
}: {
  readonly reader: Reader;
  readonly typed: string | null;
}) {
  const { typing } = reader.words;
  const isWrong = typed !== null;
  return (
    <Layout title={typing.title} reader={reader} href="/h">
      <h1>{typing.title}</h1>
      <form method="get" action="/h" class="card">
        <div class={isWrong ? "control wrong" : "control"}>
          <label for="code">{typing.label}</label>
          <p class="help" id="code-help">
            {typing.help}
          </p>
          {isWrong && (
            <p class="error" id="code-error" role="alert">
              {typing.wrong}
            </p>
          )}
          <input
            id="code"
            name="code"
            type="text"
            dir="ltr"
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
            value={typed ?? ""}
            aria-describedby={isWrong ? "code-error code-help" : "code-help"}
            {...(isWrong ? { "aria-invalid": "true" as const } : {})}
          />
        </div>
        <button type="submit" class="primary">
          {typing.go}
        </button>
      </form>
    </Layout>
  );
}

interface RefusalPageProps {
  readonly why: keyof Words["refusals"];
  readonly reader: Reader;
  readonly href?: string | undefined;
}

/** Shown instead of a link's page while there is no network. It is the same for everyone. */
export function OfflinePage({ reader }: { readonly reader: Reader }) {
  const { offline, script: scriptTexts } = reader.words;
  return (
    <Layout
      title={offline.title}
      script={script}
      reader={reader}
      data={{ "data-words": JSON.stringify(scriptTexts), "data-offline": "" }}
    >
      <h1>{offline.title}</h1>
      <p>{offline.text}</p>
      <p>
        <a class="button" href="">
          {offline.again}
        </a>
      </p>
      <UnsentDraftWithStatus reader={reader} />
    </Layout>
  );
}

/** The text that was typed in this browser and not sent. A script fills and shows it. */
export function UnsentDraft({ reader }: { readonly reader: Reader }) {
  return (
    <section id="kept" class="card" hidden>
      <div class="control">
        <label for="kept-text">{reader.words.script.kept}</label>
        <textarea id="kept-text" rows={6} readonly dir="auto"></textarea>
      </div>
      <p class="actions">
        <button type="button" data-copy="kept-text">
          {reader.words.passed.copy}
        </button>{" "}
        <button type="button" data-discard="">
          {reader.words.script.discard}
        </button>
      </p>
    </section>
  );
}

/** The unsent draft on a page that has no status line of its own. */
function UnsentDraftWithStatus({ reader }: { readonly reader: Reader }) {
  return (
    <>
      <UnsentDraft reader={reader} />
      <p id="live" class="notice" role="status" aria-live="polite"></p>
    </>
  );
}

export function RefusalPage({ why, reader, href }: RefusalPageProps) {
  const { title, text, todo } = reader.words.refusals[why];
  return (
    <Layout
      title={title}
      reader={reader}
      href={href ?? "/h"}
      script={script}
      data={{ "data-words": JSON.stringify(reader.words.script) }}
    >
      <h1>{title}</h1>
      <p>{text}</p>
      <p>{todo}</p>
      {href !== undefined && (
        <p>
          <a class="button" href={href}>
            {reader.words.landing.open}
          </a>
        </p>
      )}
      <UnsentDraftWithStatus reader={reader} />
      {why === "unknown" && (
        <p>
          <a href="/h">{reader.words.typing.title}</a>
        </p>
      )}
    </Layout>
  );
}
