/** The pages before sign-in: the form for a key, and the page of a one-time link. */
import { LinkButton, NarrowPage } from "./frame";
import type { ConsoleReader } from "./reader";

interface SignInPageProps {
  readonly reader: ConsoleReader;
  readonly nonce: string;
  /** The page to open after sign-in. */
  readonly to: string;
  readonly problem?: string | undefined;
  readonly notice?: string | undefined;
}

export function SignInPage({ reader, nonce, to, problem, notice }: SignInPageProps) {
  const { signIn } = reader.console;
  const isWrong = problem !== undefined;
  return (
    <NarrowPage title={signIn.title} reader={reader} login={null} notice={notice}>
      <p>{signIn.text}</p>
      <form method="post" action="/console/sign-in" class="card">
        <input type="hidden" name="nonce" value={nonce} />
        <input type="hidden" name="to" value={to} />
        <div class={isWrong ? "control wrong" : "control"}>
          <label for="key">{signIn.label}</label>
          <p class="help" id="key-help">
            {signIn.help}
          </p>
          {isWrong && (
            <p class="error" id="key-error" role="alert">
              {problem}
            </p>
          )}
          <input
            id="key"
            name="key"
            type="password"
            dir="ltr"
            autocomplete="current-password"
            required
            aria-describedby={isWrong ? "key-error key-help" : "key-help"}
            {...(isWrong ? { "aria-invalid": "true" as const } : {})}
          />
        </div>
        <button type="submit" class="primary">
          {signIn.button}
        </button>
      </form>
    </NarrowPage>
  );
}

interface EntryLinkPageProps {
  readonly reader: ConsoleReader;
  readonly nonce: string;
  readonly code: string;
  readonly owner: string;
}

/** The link is used only when the button is pressed, because previews and scanners open links too. */
export function EntryLinkPage({ reader, nonce, code, owner }: EntryLinkPageProps) {
  const { enter } = reader.console;
  return (
    <NarrowPage title={enter.title} reader={reader} login={null}>
      <p>{enter.text(owner)}</p>
      <form method="post" action={`/console/enter/${encodeURIComponent(code)}`}>
        <input type="hidden" name="nonce" value={nonce} />
        <button type="submit" class="primary">
          {enter.title}
        </button>
      </form>
    </NarrowPage>
  );
}

interface MessagePageProps {
  readonly reader: ConsoleReader;
  readonly title: string;
  readonly texts: readonly string[];
  readonly href?: string;
  readonly link?: string;
}

/** A message if the requested page cannot be shown. */
export function MessagePage({ reader, title, texts, href, link }: MessagePageProps) {
  return (
    <NarrowPage title={title} reader={reader} login={null}>
      {texts.map((text) => (
        <p>{text}</p>
      ))}
      <p>
        <LinkButton href={href ?? "/console"} text={link ?? reader.console.back} />
      </p>
    </NarrowPage>
  );
}
