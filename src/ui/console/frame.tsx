/** The frame of the console's pages: the signed-in owner, sign-out and the notice. */
import { path as script } from "browser:console";
import type { Child } from "hono/jsx";
import type { ConsoleLogin } from "../../gateway/console-sign-in";
import { Document, Languages } from "../layout";
import type { ConsoleReader } from "./reader";
import { CONSOLE_STYLE_PATH } from "./style";

interface FrameProps {
  readonly title: string;
  readonly reader: ConsoleReader;
  /** Null before sign-in. */
  readonly login: ConsoleLogin | null;
  /** The path of the live stream, and the ids of the parts that an update replaces. */
  readonly live?: { readonly path: string; readonly parts: readonly string[] };
  readonly notice?: string | undefined;
  readonly children?: Child;
}

export function Frame({ title, reader, login, live, notice = "", children }: FrameProps) {
  const words = reader.console;
  const data =
    live === undefined
      ? {}
      : { "data-live": live.path, "data-parts": live.parts.join(" "), "data-off": words.paused };
  return (
    <Document title={title} reader={reader} script={script} style={CONSOLE_STYLE_PATH}>
      <body class="console">
        <header>
          <a class="home" href="/console">
            Baton <span>{words.title}</span>
          </a>
          {login !== null && <SignedInAs login={login} reader={reader} />}
        </header>
        <main {...data} data-copied={words.opened.copied}>
          <p id="live" class="notice" role="status" aria-live="polite">
            {notice}
          </p>
          {children}
        </main>
        <Languages reader={reader} hrefOf={reader.inLanguage} />
      </body>
    </Document>
  );
}

export const LinkButton = ({ href, text }: { readonly href: string; readonly text: string }) => (
  <a class="button" href={href}>
    {text}
  </a>
);

/** A narrow page with a title, for a single form or message. */
export const NarrowPage = ({ children, ...frame }: FrameProps) => (
  <Frame {...frame}>
    <div class="narrow">
      <h1>{frame.title}</h1>
      {children}
    </div>
  </Frame>
);

function SignedInAs({
  login,
  reader,
}: {
  readonly login: ConsoleLogin;
  readonly reader: ConsoleReader;
}) {
  const { owner, key } = login.holder;
  const isReadOnly = !key.rights.includes("open") && !key.rights.includes("manage");
  return (
    <form method="post" action="/console/sign-out" class="who">
      <span dir="auto">{reader.console.signedIn(owner.name, key.name)}</span>
      {isReadOnly && <span class="meta">{reader.console.readOnly}</span>}
      <FormToken login={login} />
      <button type="submit">{reader.console.signOut}</button>
    </form>
  );
}

/** In every form, because a page of another site cannot know it. */
export const FormToken = ({ login }: { readonly login: ConsoleLogin }) => (
  <input type="hidden" name="form" value={login.formToken} />
);
