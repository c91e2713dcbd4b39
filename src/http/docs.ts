/** /openapi.json, and the site under /docs. */
import type { Env } from "../env";
import { isOpenToAll } from "../gateway/owner-keys";
import { publicUrlOf } from "../gateway/public-url";
import { buildOpenApi, type Deployment } from "../protocol/openapi";
import type { RouteHandler } from "./app";
import { serveDocsPage } from "./docs-pages";

const deploymentOf = (env: Env): Deployment => ({
  publicUrl: publicUrlOf(env),
  needsKey: !isOpenToAll(env),
});

type DocsRouteId = "openApi" | "docs" | "docsPage";

export const docsHandlers: Readonly<Record<DocsRouteId, RouteHandler>> = {
  openApi: ({ body, env }) => body(built.of(env), 200, { "Content-Type": "application/json" }),
  docs: serveDocsPage,
  docsPage: serveDocsPage,
};

/** Built for the first who asks: a deployment's settings stay the same while it runs. */
class BuiltOnce {
  readonly #known = new Map<string, string>();

  of(env: Env): string {
    const deployment = deploymentOf(env);
    const key = JSON.stringify(deployment);
    const known = this.#known.get(key) ?? JSON.stringify(buildOpenApi(deployment));
    this.#known.set(key, known);
    return known;
  }
}

const built = new BuiltOnce();
