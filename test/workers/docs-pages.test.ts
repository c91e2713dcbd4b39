import { createExecutionContext, env } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { Env } from "../../src/env";
import worker from "../../src/index";

const FILES: Readonly<Record<string, string>> = {
  "/docs/index.html": "<h1>Start</h1>",
  "/docs/protocol.html": "<h1>Protocol</h1>",
  "/docs/404.html": "<h1>This page does not exist</h1>",
  "/docs/assets/app.Bx4_d-1a.js": "export {};",
  "/docs/pictures/live.svg": "<svg/>",
};

/** The static assets of the Worker, with the paths that were requested. */
function siteWith(files: Readonly<Record<string, string>>, status = 404) {
  const requested: string[] = [];
  const fetch = (url: URL): Promise<Response> => {
    requested.push(url.pathname);
    const text = files[url.pathname];
    return Promise.resolve(
      new Response(text ?? null, { status: text === undefined ? status : 200 }),
    );
  };
  return { asked: requested, DOCS: { fetch } };
}

async function requestPage(
  path: string,
  site = siteWith(FILES),
  accept = "*/*",
): Promise<Response> {
  const request = new Request(`http://localhost:8787${path}`, { headers: { Accept: accept } });
  const settings = { ...env, DOCS: site.DOCS } as unknown as Env;
  return worker.fetch(request as never, settings, createExecutionContext());
}

describe("the site under /docs", () => {
  it.each([
    ["/docs", "text/html; charset=utf-8", "public, max-age=300"],
    ["/docs/protocol", "text/html; charset=utf-8", "public, max-age=300"],
    ["/docs/pictures/live.svg", "image/svg+xml", "public, max-age=300"],
    [
      "/docs/assets/app.Bx4_d-1a.js",
      "text/javascript; charset=utf-8",
      "public, max-age=31536000, immutable",
    ],
  ])("serves %s with its type and its cache lifetime", async (path, type, cache) => {
    const { status, headers } = await requestPage(path);

    expect([status, headers.get("Content-Type"), headers.get("Cache-Control")]).toEqual([
      200,
      type,
      cache,
    ]);
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(headers.get("Content-Security-Policy")).toMatch(/^default-src 'none';/);
  });

  it.each([
    ["/docs/", "/docs"],
    ["/docs/api/", "/docs/api"],
    ["/docs/guides/forms/", "/docs/guides/forms"],
  ])("redirects %s to the path without the slash", async (path, place) => {
    const { status, headers } = await requestPage(path);

    expect([status, headers.get("Location")]).toEqual([301, place]);
  });

  // Shows M-8.
  it("may load scripts and styles of this server only", async () => {
    const policy = (await requestPage("/docs")).headers.get("Content-Security-Policy") ?? "";

    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
  });

  it.each(["/docs/nothing", "/docs/a/b/c", "/docs/nothing.svg"])(
    "reports that %s does not exist, to a browser as a page",
    async (path) => {
      const page = await requestPage(path, siteWith(FILES), "text/html,*/*;q=0.8");
      const problem = await requestPage(path);

      expect([page.status, problem.status]).toEqual([404, 404]);
      expect(await page.text()).toContain("does not exist");
      expect(await problem.json()).toMatchObject({ code: "not_found" });
    },
  );

  it.each(["/docs/.hidden", "/docs/..%2fpackage.json", "/docs/a/.b", "/docs/x.exe", "/docs/a//b"])(
    "requests nothing outside of it (%s)",
    async (path) => {
      const site = siteWith(FILES);

      expect((await requestPage(path, site)).status).toBe(404);
      expect(site.asked).toEqual([]);
    },
  );

  it.each([
    ["/docs", 200],
    ["/docs/protocol", 404],
  ])("reports at %s that it is not built, with %i", async (path, status) => {
    const answer = await requestPage(path, siteWith({}, 503));

    expect([answer.status, answer.headers.get("Refresh")]).toEqual([status, "20"]);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(await answer.text()).toContain("not built yet");
  });
});

describe("an address that does not exist", () => {
  it("is a page for a browser, and a problem for a program", async () => {
    const page = await requestPage("/nothing", siteWith(FILES), "text/html");
    const problem = await requestPage("/nothing");

    expect([page.status, page.headers.get("Content-Type")]).toEqual([
      404,
      "text/html; charset=utf-8",
    ]);
    expect(page.headers.get("Content-Security-Policy")).toMatch(/^default-src 'none';/);
    expect(problem.headers.get("Content-Type")).toContain("problem+json");
  });
});
