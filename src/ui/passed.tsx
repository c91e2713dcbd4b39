/** The page after a person passed the work on to an agent: the only one that shows a token. */
import { Layout } from "./layout";
import { PASSED, SCRIPT_WORDS } from "./words";

interface PassedProps {
  readonly code: string;
  readonly sessionId: string;
  readonly publicUrl: string;
  readonly token: string;
}

export function Passed({ code, sessionId, publicUrl, token }: PassedProps) {
  return (
    <Layout
      title={PASSED.title}
      script="/assets/page.js"
      data={{ "data-words": JSON.stringify(SCRIPT_WORDS) }}
    >
      <h1>{PASSED.title}</h1>
      <p class="problems">{PASSED.warning}</p>
      <p id="live" class="notice" role="status" aria-live="polite"></p>
      <div class="control">
        <label for="token">{PASSED.token}</label>
        <input id="token" type="text" readonly value={token} />
        <button type="button" data-copy="token" hidden>
          {PASSED.copy}
        </button>
      </div>
      <div class="control">
        <label for="prompt">{PASSED.prompt}</label>
        <textarea id="prompt" rows={8} readonly>
          {`\n${PASSED.text(sessionId, publicUrl, token)}`}
        </textarea>
        <button type="button" data-copy="prompt" hidden>
          {PASSED.copy}
        </button>
      </div>
      <p>
        <a href={`/h/${code}`}>{PASSED.back}</a>
      </p>
    </Layout>
  );
}
