/**
 * Serves the Worker on a socket that only this user can open: the machine's free resources for the
 * binding HOST, and the site under /docs for the binding DOCS. Another process builds the site once, and
 * no request waits for it: until it is ready the Worker reports that. If the sources have changed, the
 * old pages are served until the new ones are ready.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { createReadStream } from "node:fs";
import type { Server, ServerResponse } from "node:http";
import { join } from "node:path";
import { CLONE, isBuilt, isCurrent, placeFor } from "../site/built.ts";
import type { Host } from "./host-status.ts";

// An import would read every member of the module, and one of them loads Node's fetch.
const { createServer } = process.getBuiltinModule("node:http");

const BUILDER = join(import.meta.dirname, "../site/main.ts");

export class DocsServer {
  readonly #server: Server;
  readonly #mayBuild: boolean;
  readonly #host: Host;
  readonly #folder: string;
  /** Possible locations of the site, the newer first. */
  #locations = [CLONE];
  #builder: ChildProcess | null = null;
  #hasTried = false;

  /** The folder is used if the clone is not writable. */
  constructor(mayBuild: boolean, host: Host, folder: string) {
    this.#folder = folder;
    this.#mayBuild = mayBuild;
    this.#host = host;
    this.#server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://docs.invalid");
      if (pathname.startsWith("/host/")) void this.#sendHostStatus(pathname, response);
      else this.#serveFile(pathname, response);
    });
  }

  listen(socket: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(socket, resolve);
    });
  }

  /** Builds the site in the background, unless there is one already. */
  prepare(): void {
    if (!isBuilt(CLONE)) this.#build();
  }

  close(): void {
    this.#server.close();
    this.#builder?.kill();
  }

  async #sendHostStatus(path: string, response: ServerResponse): Promise<void> {
    try {
      const status =
        path === "/host/data"
          ? { bytes: await this.#host.dataBytes(Date.now()) }
          : await this.#host.status();
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(status));
    } catch {
      response.writeHead(503).end();
    }
  }

  #serveFile(path: string, response: ServerResponse): void {
    this.#build();
    const built = this.#locations.find(isBuilt);
    if (built === undefined) {
      response.writeHead(503).end();
      return;
    }
    // The Worker requests only names without path traversal.
    const file = createReadStream(join(built.site, path));
    file.once("open", () => file.pipe(response));
    file.once("error", () => response.writeHead(404).end());
  }

  /** Runs once per server, and only if the built site is not current. */
  #build(): void {
    if (this.#hasTried || !this.#mayBuild) return;
    this.#hasTried = true;
    const location = placeFor(this.#folder);
    if (location !== CLONE) this.#locations = [location, CLONE];
    if (isCurrent(location)) return;
    const args = location === CLONE ? [] : [this.#folder];
    this.#builder = spawn(process.execPath, [BUILDER, ...args], {
      stdio: ["ignore", "ignore", 2],
    });
    // Without a builder the page keeps reporting that there is no site.
    this.#builder.once("error", () => {});
  }
}
