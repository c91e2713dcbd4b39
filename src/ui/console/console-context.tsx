/** Who comes to the console: the holder behind the cookie, or the page that lets one sign in. */
import { ConsoleSignIn, type ConsoleLogin } from "../../gateway/console-sign-in";
import { Gateway } from "../../gateway/gateway";
import { OwnerGateway } from "../../gateway/owner-gateway";
import type { Failure } from "../../domain/failure";
import { STATUS } from "../../protocol/problem";
import { redact } from "../../domain/redact";
import { describeFailure } from "../../protocol/problem-text";
import { rateLimitHeaders, retryAfter } from "../../protocol/rate-limit-headers";
import { createNonce, languageCookie } from "../cookies";
import { callerOf, type PageContext } from "../link-holder";
import { answerPage } from "../layout";
import { MessagePage, SignInPage } from "./sign-in-pages";
import {
  readConsoleCookie,
  expiredConsoleCookie,
  CONSOLE_SCOPE,
  consoleNonceCookie,
} from "./console-cookies";
import { consoleReader, type ConsoleReader } from "./reader";

export interface ConsoleContext {
  readonly context: PageContext;
  readonly login: ConsoleLogin;
  readonly reader: ConsoleReader;
  readonly gateway: Gateway;
  readonly owners: OwnerGateway;
}

export const consoleSignInOf = (context: PageContext): ConsoleSignIn =>
  new ConsoleSignIn(context.env, callerOf(context));

/** The handler of a page for those who are signed in; others are asked to. */
export const requireSignIn =
  (handler: (visitor: ConsoleContext) => Promise<Response>) =>
  async (context: PageContext): Promise<Response> => {
    const { env, req } = context;
    const cookie = readConsoleCookie(req.raw.headers, env);
    const login = cookie === null ? null : await consoleSignInOf(context).readCookie(cookie);
    if (login === null) return showSignIn(context, cookie === null ? {} : { hasExpired: true });
    const caller = callerOf(context);
    const answer = await handler({
      context,
      login,
      reader: consoleReader(req.raw),
      gateway: new Gateway(env, caller),
      owners: new OwnerGateway(env, caller),
    });
    return withLanguage(context, answer);
  };

interface SignInOptions {
  readonly problem?: string;
  readonly notice?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** There was a cookie, and it counts no more. */
  readonly hasExpired?: true;
}

/** The start page of the console asks kindly; elsewhere it is said that one has to be signed in. */
export async function showSignIn(context: PageContext, asking: SignInOptions): Promise<Response> {
  const { req, env } = context;
  const reader = consoleReader(req.raw);
  const { signIn } = reader.console;
  const keys = consoleSignInOf(context).keys();
  if (!keys.ok) {
    return answerPage(
      <MessagePage reader={reader} title={signIn.title} texts={[signIn.noKeys]} />,
      501,
    );
  }
  const nonce = createNonce();
  const page = (
    <SignInPage
      reader={reader}
      nonce={nonce}
      to={req.method === "GET" ? returnPathOf(req.raw.url) : "/console"}
      problem={asking.problem}
      notice={asking.hasExpired === true ? signIn.over : asking.notice}
    />
  );
  const status = asking.status ?? (req.path === "/console" ? 200 : 401);
  const answer = await answerPage(page, status, asking.headers ?? {});
  answer.headers.append("Set-Cookie", consoleNonceCookie(env, nonce));
  if (asking.hasExpired === true) answer.headers.append("Set-Cookie", expiredConsoleCookie(env));
  return withLanguage(context, answer);
}

/** Where to go after signing in. A page whose address holds a secret is none, and is not repeated. */
function returnPathOf(url: string): string {
  const { pathname, search } = new URL(url);
  const wish = pathname + search;
  return redact(wish) === wish ? wish : "/console";
}

function withLanguage({ req }: PageContext, answer: Response): Response {
  const kept = languageCookie(req.query("lang"), CONSOLE_SCOPE);
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
        : describeFailure(failure).detail;
  const status = failure.code === "token_invalid" ? 404 : STATUS[failure.code];
  const { retryAfterMs } = failure as { readonly retryAfterMs?: number };
  const headers = {
    ...(retryAfterMs === undefined ? {} : retryAfter(retryAfterMs)),
    ...(failure.code === "rate_limited" ? rateLimitHeaders(failure) : {}),
  };
  const page = (
    <MessagePage
      reader={reader}
      title={failed.title}
      texts={[text]}
      {...(href === undefined || isUnknown ? {} : { href, link: failed.again })}
    />
  );
  return answerPage(page, status, headers);
}
