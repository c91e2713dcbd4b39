/** The pages below /docs for a local server, under the name by which the Worker asks for them. */
import { Response } from "miniflare";
import { buildSite, type Site } from "./build.ts";

/** Made once, at the first request for one of them. */
export function serveSite(): (request: { readonly url: string }) => Response {
  let site: Site | undefined;
  return function givePage({ url }) {
    site ??= buildSite();
    const page = site.get(new URL(url).pathname);
    return page === undefined ? new Response(null, { status: 404 }) : new Response(page);
  };
}
