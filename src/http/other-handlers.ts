/** Handlers of the other HTTP routes: the socket, documents, and what operators need. */
import { Caller } from "../gateway/caller";
import { Gateway } from "../gateway/gateway";
import type { OtherRouteId } from "../protocol/routes";
import { answerJson, answerProblem } from "./answers";
import type { RouteHandler } from "./app";
import { serveMetrics } from "./metrics";
import { upgradeSocket } from "./socket-upgrade";
import type { Env } from "../env";
import { keyringOf, publicKeys } from "../gateway/keyring";
import { isOpenToAll } from "../gateway/owner-keys";
import { publicUrlOf } from "../gateway/public-url";
import { buildOpenApi } from "../protocol/openapi";
import { VERSION } from "../version";
import { serveDocsPage } from "./docs-pages";

export const otherHandlers: Readonly<Record<Exclude<OtherRouteId, "arcp" | "mcp">, RouteHandler>> =
  {
    openApi: ({ body, env }) => body(openApiOf(env), 200, { "Content-Type": "application/json" }),
    docs: serveDocsPage,
    docsPage: serveDocsPage,
    health: () => answerJson(200, { status: "ok", version: VERSION }),
    publicKeys: ({ env }) => answerKeys(env),
    metrics: ({ req, env }) => serveMetrics(req.raw, env),
    socket: ({ req, env }) =>
      upgradeSocket(
        new Gateway(env, Caller.of(req.raw, env)),
        req.param("ref") ?? "",
        req.raw.headers,
      ),
  };

/** Short, so that new keys are soon listed and removed ones soon gone. */
const CACHED = { "Cache-Control": "public, max-age=300" } as const;

async function answerKeys(env: Pick<Env, "SIGNING_KEYS" | "SEALING_KEYS">): Promise<Response> {
  const keyring = keyringOf(env, "SIGNING_KEYS");
  if (!keyring.ok) return answerProblem(keyring.error);
  return answerJson(200, { keys: await publicKeys(keyring.value) }, CACHED);
}

const built = new Map<string, string>();

/** Built on the first request: a deployment's settings do not change while it runs. */
function openApiOf(env: Env): string {
  const deployment = { publicUrl: publicUrlOf(env), needsKey: !isOpenToAll(env) };
  const key = JSON.stringify(deployment);
  const text = built.get(key) ?? JSON.stringify(buildOpenApi(deployment));
  built.set(key, text);
  return text;
}
