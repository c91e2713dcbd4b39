/** Who comes to the console: the holder behind the cookie, or the page that lets one sign in. */
import { ConsoleDoor, type Entered } from "../../gateway/console-door";
import { Gateway } from "../../gateway/gateway";
import { OwnerGateway } from "../../gateway/owner-gateway";
import type { Failure } from "../../domain/failure";
import { STATUS } from "../../protocol/problem";
import { redacted } from "../../domain/redacted";
import { describe } from "../../protocol/problem-words";
import { rateLimitHeaders, retryAfter } from "../../protocol/rate-limit-headers";
import { drawNonce, languageCookie } from "../guard";
import { callerOf, type PageContext } from "../guest";
import { answerPage } from "../layout";
import { Message, SignIn } from "./entrance";
import { consoleCookieIn, dropConsoleCookie, SCOPE, setConsoleNonce } from "./guard";
import { consoleReader, type ConsoleReader } from "./reader";

export interface Visitor {
  readonly context: PageContext;
  readonly entered: Entered;
  readonly reader: ConsoleReader;
  readonly gateway: Gateway;
  readonly owners: OwnerGateway;
}

export const doorOf = (context: PageContext): ConsoleDoor =>
  new ConsoleDoor(context.env, callerOf(context));

/** The handler of a page for those who are signed in; others are asked to. */
export const forVisitors =
  (handler: (visitor: Visitor) => Promise<Response>) =>
  async (context: PageContext): Promise<Response> => {
    const { env, req } = context;
    const cookie = consoleCookieIn(req.raw.headers, env);
    const entered = cookie === null ? null : await doorOf(context).read(cookie);
    if (entered === null) return askToSignIn(context, cookie === null ? {} : { isOver: true });
    const caller = callerOf(context);
    const answer = await handler({
      context,
      entered,
      reader: consoleReader(req.raw),
      gateway: new Gateway(env, caller),
      owners: new OwnerGateway(env, caller),
    });
    return withLanguage(context, answer);
  };

interface Asking {
  readonly problem?: string;
  readonly notice?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** There was a cookie, and it counts no more. */
  readonly isOver?: true;
}

/** The start page of the console asks kindly; elsewhere it is said that one has to be signed in. */
export async function askToSignIn(context: PageContext, asking: Asking): Promise<Response> {
  const { req, env } = context;
  const reader = consoleReader(req.raw);
  const { signIn } = reader.console;
  const keys = doorOf(context).keys();
  if (!keys.ok) {
    return answerPage(
      <Message reader={reader} title={signIn.title} texts={[signIn.noKeys]} />,
      501,
    );
  }
  const nonce = drawNonce();
  const page = (
    <SignIn
      reader={reader}
      nonce={nonce}
      to={req.method === "GET" ? wishIn(req.raw.url) : "/console"}
      problem={asking.problem}
      notice={asking.isOver === true ? signIn.over : asking.notice}
    />
  );
  const status = asking.status ?? (req.path === "/console" ? 200 : 401);
  const answer = await answerPage(page, status, asking.headers ?? {});
  answer.headers.append("Set-Cookie", setConsoleNonce(env, nonce));
  if (asking.isOver === true) answer.headers.append("Set-Cookie", dropConsoleCookie(env));
  return withLanguage(context, answer);
}

/** Where to go after signing in. A page whose address holds a secret is none, and is not repeated. */
function wishIn(url: string): string {
  const { pathname, search } = new URL(url);
  const wish = pathname + search;
  return redacted(wish) === wish ? wish : "/console";
}

function withLanguage({ req }: PageContext, answer: Response): Response {
  const kept = languageCookie(req.query("lang"), SCOPE);
  if (kept !== null) answer.headers.append("Set-Cookie", kept);
  return answer;
}

/**
 * What went wrong, as a page. The words are those of the API, but for what everybody meets. Nothing leads
 * back to a session that is unknown: one of another owner is told as one that never was.
 */
export function answerFailure(reader: ConsoleReader, failure: Failure, href?: string) {
  const { failed, session } = reader.console;
  const isBusy = ["overloaded", "busy", "internal"].includes(failure.code);
  const isUnknown = ["token_invalid", "gone", "not_found"].includes(failure.code);
  const text = isBusy
    ? failed.busy
    : isUnknown
      ? session.gonePage
      : failure.code === "expired"
        ? session.expiredPage
        : describe(failure).detail;
  const status = failure.code === "token_invalid" ? 404 : STATUS[failure.code];
  const { retryAfterMs } = failure as { readonly retryAfterMs?: number };
  const headers = {
    ...(retryAfterMs === undefined ? {} : retryAfter(retryAfterMs)),
    ...(failure.code === "rate_limited" ? rateLimitHeaders(failure) : {}),
  };
  const page = (
    <Message
      reader={reader}
      title={failed.title}
      texts={[text]}
      {...(href === undefined || isUnknown ? {} : { href, link: failed.again })}
    />
  );
  return answerPage(page, status, headers);
}
