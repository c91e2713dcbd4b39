/** The Worker's entry: the faces put together, and the object classes the platform looks for here. */
import { serveArcp } from "./arcp/upgrade";
import { createApp } from "./http/app";
import { serveMcp } from "./mcp/server";

export { AgentQueue } from "./object/agent-queue";
export { SessionObject } from "./object/session-object";

const app = createApp();
app.get("/arcp", ({ req, env }) => serveArcp(req.raw, env));
app.all("/mcp", ({ req, env }) => serveMcp(req.raw, env));

export default app;
