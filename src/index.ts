/** The Worker's entry: the faces put together, and the object classes the platform looks for here. */
import { createApp } from "./http/app";
import { serveMcp } from "./mcp/server";

export { SessionObject } from "./object/session-object";

const app = createApp();
app.all("/mcp", ({ req, env }) => serveMcp(req.raw, env));

export default app;
