/** The page after a person passed the work on to an agent. Only this page of a link shows a token. */
import { Layout } from "./layout";
import { path as script } from "browser:page";
import type { Reader } from "./words/index";

interface AgentTokenPageProps {
  readonly code: string;
  readonly sessionId: string;
  readonly publicUrl: string;
  readonly token: string;
  readonly reader: Reader;
}

export function AgentTokenPage({ code, sessionId, publicUrl, token, reader }: AgentTokenPageProps) {
  const { passed } = reader.words;
  return (
    <Layout
      title={passed.title}
      reader={reader}
      href={`/h/${code}`}
      script={script}
      data={{ "data-words": JSON.stringify(reader.words.script) }}
    >
      <h1>{passed.title}</h1>
      <p class="problems">{passed.warning}</p>
      <p id="live" class="notice" role="status" aria-live="polite"></p>
      <div class="control">
        <label for="token">{passed.token}</label>
        <input id="token" type="text" readonly value={token} />
        <button type="button" data-copy="token" hidden>
          {passed.copy}
        </button>
      </div>
      <div class="control">
        <label for="prompt">{passed.prompt}</label>
        <textarea id="prompt" rows={8} readonly>
          {`\n${promptFor(sessionId, publicUrl, token)}`}
        </textarea>
        <button type="button" data-copy="prompt" hidden>
          {passed.copy}
        </button>
      </div>
      <p>
        <a href={`/h/${code}`}>{passed.back}</a>
      </p>
    </Layout>
  );
}

/** In English, because the agent's documentation is. */
const promptFor = (session: string, url: string, token: string): string =>
  `Continue the work in Baton session ${session}.
With the Baton MCP server: call the tool that resumes a session with the token below.
With the CLI or HTTP: POST ${url}/sessions/${session}/resume with the header "Authorization: Bearer <token>". Every write answers with the next token; always use the newest.
Token: ${token}`;
