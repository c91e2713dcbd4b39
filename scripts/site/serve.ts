/** The pages below /docs for a local server, under the name by which the Worker asks for them. */
import { Response } from "miniflare";
import type { Site } from "./build.ts";

/** Made once, at the first request for one of them: a server that starts does not wait for it. */
export function serveSite(): (request: { readonly url: string }) => Promise<Response> {
  let site: Promise<Site> | undefined;
  return async function givePage({ url }) {
    site ??= import("./build.ts").then(({ buildSite }) => buildSite());
    const page = (await site).get(new URL(url).pathname);
    return page === undefined ? new Response(null, { status: 404 }) : new Response(page);
  };
}
