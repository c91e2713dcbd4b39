/** The pages below /docs, for the Worker's binding DOCS, on a socket that only this user can open. */
import { createServer, type Server } from "node:http";
import type { Site } from "../site/build.ts";

/** Made once, at the first request for one of them: a server that starts does not wait for it. */
export function serveDocs(socket: string): Promise<Server> {
  let site: Promise<Site> | undefined;
  const server = createServer((request, response) => {
    site ??= import("../site/build.ts").then(({ buildSite }) => buildSite());
    site.then(
      (pages) => {
        const page = pages.get(new URL(request.url ?? "/", "http://docs.invalid").pathname);
        response.writeHead(page === undefined ? 404 : 200).end(page);
      },
      (error: unknown) => {
        console.error(error);
        response.writeHead(500).end();
      },
    );
  });
  return new Promise((settle, fail) => {
    server.once("error", fail);
    server.listen(socket, () => settle(server));
  });
}
