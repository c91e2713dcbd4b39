/** The Worker's entry: combines the faces, and exports the object classes for the platform. */
import type { Env } from "./env";
import { serveArcp } from "./arcp/upgrade";
import { publicOrigin } from "./gateway/public-url";
import { answerProblem } from "./http/answers";
import { createApp } from "./http/app";
import { otherHandlers } from "./http/other-handlers";
import { serveMcp } from "./mcp/server";
import { observeRequest } from "./observe/observe-request";
import { consoleHandlers } from "./ui/console/app";
import { pageFallbacks, pageHandlers } from "./ui/app";

export { HandoffDirectory } from "./object/handoff-directory";
export { MissCounter } from "./object/miss-counter";
export { AgentQueue } from "./object/agent-queue";
export { NoticeEndpoint } from "./object/notice-endpoint";
export { WebhookSender } from "./gateway/webhook-sender";
export { OwnerDirectory } from "./object/owner-directory";
export { SessionObject } from "./object/session-object";

const app = createApp({
  handlers: {
    ...otherHandlers,
    ...pageHandlers,
    ...consoleHandlers,
    arcp: ({ req, env }) => serveArcp(req.raw, env),
    mcp: ({ req, env }) => serveMcp(req.raw, env),
  },
  pages: pageFallbacks,
});

function serve(
  request: Request,
  env: Env,
  context: ExecutionContext,
): Response | Promise<Response> {
  // A deployment without PUBLIC_URL must never be treated as a local one.
  if (publicOrigin(env) === null) {
    const detail =
      "The setting PUBLIC_URL is missing, or is not an address such as https://baton.example.";
    return answerProblem({ code: "not_configured", setting: "PUBLIC_URL", detail });
  }
  // The runtime builds this URL from the Host header, which may contain anything.
  if (!URL.canParse(request.url)) {
    return answerProblem({ code: "invalid_request", detail: "The Host header is malformed." });
  }
  return app.fetch(request, env, context);
}

export default {
  fetch(request, env, context) {
    return observeRequest(request, env, () => serve(request, env, context));
  },
} satisfies ExportedHandler<Env>;
