import { describe, expect, it } from "vitest";
import { buildOpenApi } from "../../src/protocol/openapi.ts";
import { apiRouteEntries } from "../../src/protocol/api-routes.ts";
import { PathTree } from "../../src/protocol/path-tree.ts";
import {
  isOpenToOrigins,
  isPagePath,
  methodsAt,
  routePattern,
  ROUTES,
} from "../../src/protocol/routes.ts";
import type { Route } from "../../src/protocol/api-route.ts";

const routes = Object.entries<Route>(ROUTES);

describe("the path matcher", () => {
  const tree = new PathTree<string>();
  tree.add("GET", "/sessions/{ref}", "read");
  tree.add("GET", "/sessions/changes", "changes");
  tree.add("POST", "/sessions/{ref}/open", "open one");
  tree.add("POST", "/sessions/changes/undo", "undo");
  tree.add("GET", "/docs/{page*}", "page");
  tree.add("GET", "/docs/style.css", "style");

  it.each([
    ["/sessions/ses_1", "read", { ref: "ses_1" }],
    ["/sessions/changes", "changes", {}],
    ["/sessions/changes/open", "open one", { ref: "changes" }],
    ["/sessions/changes/undo", "undo", {}],
    ["/docs/style.css", "style", {}],
    ["/docs/decisions/0001", "page", { page: "decisions/0001" }],
    ["/docs/", "page", { page: "" }],
  ])("finds %s", (path, value, params) => {
    const found = tree.find(path);
    expect([...(found?.values.values() ?? [])]).toEqual([value]);
    expect(found?.params).toEqual(params);
  });

  it.each(["/", "", "/sessions", "/sessions/", "/sessions//open", "/docs", "/sessions/a/b/c"])(
    "finds nothing at %j",
    (path) => expect(tree.find(path)).toBeNull(),
  );
});

describe("the table of routes", () => {
  it("has each method of a path once", () => {
    const names = routes.map(([, { method, path }]) => `${method} ${path}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it("knows the methods and the name of every path in it", () => {
    for (const [, { method, path }] of routes) {
      const filled = path.replaceAll(/\{\w+\*?\}/g, "something");
      expect(methodsAt(filled)).toContain(method.toUpperCase());
      expect(routePattern(filled)).toBe(path.replaceAll("*", ""));
    }
    expect(methodsAt("/nowhere")).toEqual([]);
  });

  it("names guides in logs by their pattern", () => {
    expect(routePattern("/docs/protocol")).toBe("/docs/{page}");
  });

  it("restricts pages, and routes that are marked so, to their own origin", () => {
    const closed = routes.filter(([, route]) => !isOpenToOrigins(route));
    for (const [id, { auth: who, origins }] of closed) {
      expect([id, who === "page" || origins === "own"]).toEqual([id, true]);
    }
    expect(isPagePath("/h/whatever/else")).toBe(true);
    expect(isPagePath("/sessions/h")).toBe(false);
  });

  it("names the auth scheme of every route in OpenAPI", () => {
    const { paths } = buildOpenApi({ publicUrl: "https://b.example", needsKey: true }) as {
      paths: Record<string, Record<string, { security?: readonly object[] }>>;
    };
    const SCHEME = {
      token: undefined,
      owner: "ownerKey",
      key: "ownerKey",
      agent: "agentKey",
      job: "jobToken",
    };
    for (const [id, { method, path, auth: who = "token" }] of apiRouteEntries) {
      const [first] = paths[path]?.[method]?.security ?? [];
      const [scheme] = Object.keys(first ?? {});
      expect([id, scheme]).toEqual([id, SCHEME[who as keyof typeof SCHEME]]);
    }
  });
});
