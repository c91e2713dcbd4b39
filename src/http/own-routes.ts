/** What this face serves beside the endpoints: the socket, documents, what operators ask for. */
import { callOf } from "../gateway/call";
import { Caller } from "../gateway/caller";
import { Gateway } from "../gateway/gateway";
import type { OtherRouteId } from "../protocol/routes";
import { answerJson } from "./answers";
import type { RouteHandler } from "./app";
import { docsHandlers } from "./docs";
import { serveMetrics } from "./metrics";
import { answerKeys } from "./public-keys";
import { upgradeSocket } from "./socket-upgrade";

export const ownRoutes: Readonly<Record<Exclude<OtherRouteId, "arcp" | "mcp">, RouteHandler>> = {
  ...docsHandlers,
  health: () => answerJson(200, { status: "ok" }),
  publicKeys: ({ env }) => answerKeys(env),
  metrics: ({ req, env }) => serveMetrics(req.raw, env),
  socket: ({ req, env }) =>
    upgradeSocket(
      new Gateway(env, new Caller(req.raw.headers, env, callOf(req.raw))),
      req.param("ref") ?? "",
      req.raw.headers,
    ),
};
