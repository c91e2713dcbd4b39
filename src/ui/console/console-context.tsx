/** The signed-in owner of a console request, or the sign-in page. */
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

/** Wraps a handler that requires sign-in. Without it the sign-in page is shown. */
export const requireSignIn =
  (handler: (consoleContext: ConsoleContext) => Promise<Response>) =>
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
  /** There was a cookie, and it is no longer valid. */
  readonly hasExpired?: true;
}

/** The start page shows the form with 200. Every other page answers with 401. */
export async function showSignIn(context: PageContext, options: SignInOptions): Promise<Response> {
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
      problem={options.problem}
      notice={options.hasExpired === true ? signIn.over : options.notice}
    />
  );
  const status = options.status ?? (req.path === "/console" ? 200 : 401);
  const answer = await answerPage(page, status, options.headers ?? {});
  answer.headers.append("Set-Cookie", consoleNonceCookie(env, nonce));
  if (options.hasExpired === true) answer.headers.append("Set-Cookie", expiredConsoleCookie(env));
  return withLanguage(context, answer);
}

/** The page to open after sign-in. An address with a secret is replaced by the start page. */
function returnPathOf(url: string): string {
  const { pathname, search } = new URL(url);
  const target = pathname + search;
  return redact(target) === target ? target : "/console";
}

function withLanguage({ req }: PageContext, answer: Response): Response {
  const cookie = languageCookie(req.query("lang"), CONSOLE_SCOPE);
  if (cookie !== null) answer.headers.append("Set-Cookie", cookie);
  return answer;
}

/**
 * A failure as a page. Common failures have texts of their own; the others have the API's. An unknown
 * session gets no link back, and a session of another owner looks the same as one that never existed.
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
