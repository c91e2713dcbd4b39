/**
 * The product's Worker with a way to tell an owner's directory of sessions, as sessions do: how else
 * would one wait for days, or be one of a hundred thousand. For tests of the console only.
 */
import worker from "../../src/self-hosted";
import { directoryName } from "../../src/domain/owners/owners";
import type { Env } from "../../src/env";
import type { DirectoryNews, OwnerDirectoryPort } from "../../src/object/directory-messages";

export * from "../../src/self-hosted";

const TELL = "/test/tell/";

export default {
  ...worker,
  async fetch(request, env, context) {
    const { pathname } = new URL(request.url, "http://localhost");
    if (!pathname.startsWith(TELL)) return worker.fetch(request, env, context);
    const { OWNER_DIRECTORY } = env;
    const id = OWNER_DIRECTORY.idFromName(directoryName(pathname.slice(TELL.length)));
    const directory = OWNER_DIRECTORY.get(id) as unknown as OwnerDirectoryPort;
    for (const news of (await request.json()) as DirectoryNews[]) await directory.tell(news);
    return new Response("told");
  },
} satisfies ExportedHandler<Env>;
