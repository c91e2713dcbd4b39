/** The front page: what Baton is, and a session to try it. */
import { path as tryScript } from "browser:try";
import { Layout } from "./layout";

/** The texts of the front page, which is for developers and only in English. */
const FRONT = {
  title: "Baton",
  tagline: "Keeps a piece of work alive between the agents and people who work on it.",
  what: [
    "An agent starts a session and gets a resume token. Anyone who has the newest token can continue exactly where the work stopped. No accepted write is lost or applied twice.",
    "When a person must fill in, decide or upload, the agent makes a short link. The person opens it on a phone, does their part, and the agent continues.",
  ],
  tryTitle: "Try it",
  tryText:
    "Create a session, see its log live, get a link and its QR code, open it in another tab, and watch both.",
  needsKey:
    "You need a key to create a session here. Ask the operator of this server for one; agents send it as Authorization: Bearer bkey_….",
  begin: "Create a session",
  agentActs: "Let the agent fill a field",
  noScript: "The try-out needs JavaScript. Everything else here works without it; or use curl:",
  log: "The session's log, live",
  link: "The link for a person",
  docs: "Documents and API reference",
  working: "Working…",
  failed: "That did not work:",
} as const;

interface FrontProps {
  readonly publicUrl: string;
  /** Creating a session needs a key, and no page should be given one. */
  readonly needsKey: boolean;
}

export function Front({ publicUrl, needsKey }: FrontProps) {
  return (
    <Layout
      title={FRONT.title}
      {...(needsKey ? {} : { script: tryScript })}
      data={{ "data-words": JSON.stringify({ working: FRONT.working, failed: FRONT.failed }) }}
    >
      <h1>{FRONT.title}</h1>
      <p>
        <b>{FRONT.tagline}</b>
      </p>
      {FRONT.what.map((text) => (
        <p>{text}</p>
      ))}
      <p>
        <a href="/docs">{FRONT.docs}</a>
      </p>
      {needsKey ? <p>{FRONT.needsKey}</p> : <TryOut publicUrl={publicUrl} />}
    </Layout>
  );
}

function TryOut({ publicUrl }: Pick<FrontProps, "publicUrl">) {
  return (
    <>
      <h2>{FRONT.tryTitle}</h2>
      <p>{FRONT.tryText}</p>
      <noscript>
        <p>{FRONT.noScript}</p>
        <pre>{`curl -s -X POST ${publicUrl}/sessions -H 'Content-Type: application/json' -d '{"title": "My first session"}'`}</pre>
      </noscript>
      <div id="try" hidden>
        <div class="actions">
          <button type="button" id="begin" class="primary">
            {FRONT.begin}
          </button>
          <button type="button" id="act" disabled>
            {FRONT.agentActs}
          </button>
        </div>
        <p id="say" class="notice" role="status" aria-live="polite"></p>
        <section id="linked" class="card" hidden aria-labelledby="link-title">
          <h3 id="link-title">{FRONT.link}</h3>
          <p>
            <a id="link" target="_blank" rel="noopener"></a>
          </p>
          <p>
            <img id="qr" class="qr" alt="" width="192" height="192" />
          </p>
        </section>
        <section id="logged" hidden aria-labelledby="log-title">
          <h3 id="log-title">{FRONT.log}</h3>
          <pre id="log" tabindex={0}></pre>
        </section>
      </div>
    </>
  );
}
