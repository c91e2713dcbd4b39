/** The Worker's entry: the faces put together, and the object classes the platform looks for here. */
import type { Env } from "./env";
import { serveArcp } from "./arcp/upgrade";
import { createApp } from "./http/app";
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

export default {
  fetch(request, env, context) {
    const face = isPage(request.method, new URL(request.url).pathname) ? pages : app;
    return observed(request, env, () => face.fetch(request, env, context));
  },
} satisfies ExportedHandler<Env>;
