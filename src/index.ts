/** The Worker's entry: the faces put together, and the object classes the platform looks for here. */
import type { Env } from "./env";
import { serveArcp } from "./arcp/upgrade";
import { createApp, serveApi } from "./http/app";
import { serveMcp } from "./mcp/server";
import { observed } from "./observe/observed";
import { createPages, isPage } from "./ui/app";

export { HandoffDirectory } from "./object/handoff-directory";
export { MissCounter } from "./object/miss-counter";
export { AgentQueue } from "./object/agent-queue";
export { SessionObject } from "./object/session-object";

const app = createApp();
app.get("/arcp", ({ req, env }) => serveArcp(req.raw, env));
app.all("/mcp", ({ req, env }) => serveMcp(req.raw, env));

const pages = createPages();

/** Of a URL that the platform has parsed already. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}

export default {
  fetch(request, env, context) {
    return observed(request, env, () =>
      isPage(request.method, pathOf(request.url))
        ? pages.fetch(request, env, context)
        : serveApi(app, request, env, context),
    );
  },
} satisfies ExportedHandler<Env>;
