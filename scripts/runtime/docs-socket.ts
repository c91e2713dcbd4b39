/**
 * The site under /docs, for the Worker's binding DOCS, on a socket that only this user can open. The
 * site is built once, by another process: a server that starts does not wait for it, and who asks for a
 * page of a site that was never built waits a while. Where the sources have changed since, the old pages
 * are served until the new ones are there.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { createReadStream } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isBuilt, isCurrent, SITE } from "../site/built.ts";

const BUILDER = join(import.meta.dirname, "../site/main.ts");
/** Longer than building takes on a machine that is not busy. */
const PATIENCE_MS = 25_000;

export class DocsServer {
  readonly #server: Server;
  #builder: ChildProcess | null = null;
  #built: Promise<void> | null = null;

  constructor() {
    this.#server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://docs.invalid");
      void this.#give(pathname, response);
    });
  }

  listen(socket: string): Promise<void> {
    return new Promise((settle, fail) => {
      this.#server.once("error", fail);
      this.#server.listen(socket, settle);
    });
  }

  /** Builds the site beside what else is done, unless there is one already. */
  prepare(): void {
    if (!isBuilt()) void this.#build();
  }

  close(): void {
    this.#server.close();
    this.#builder?.kill();
  }

  async #give(path: string, response: ServerResponse): Promise<void> {
    const building = this.#build();
    if (!isBuilt()) await Promise.race([building, sleep(PATIENCE_MS, undefined, { ref: false })]);
    if (!isBuilt()) {
      response.writeHead(503).end();
      return;
    }
    // The Worker asks only for names that cannot climb.
    const file = createReadStream(join(SITE, path));
    file.once("open", () => file.pipe(response));
    file.once("error", () => response.writeHead(404).end());
  }

  /** Once in the life of this server, and only where the sources are not those of the built site. */
  #build(): Promise<void> {
    this.#built ??= isCurrent()
      ? Promise.resolve()
      : new Promise((settle) => {
          const builder = spawn(process.execPath, [BUILDER], { stdio: ["ignore", "ignore", 2] });
          this.#builder = builder;
          builder.once("error", () => settle());
          builder.once("exit", () => settle());
        });
    return this.#built;
  }
}
