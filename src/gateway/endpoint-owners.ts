/**
 * Whose endpoints a handoff names. A session knows only its own; of others their objects say to which
 * owner they belong, and the session then rings those of its own owner alone.
 */
import { endpointHexOf, type Home } from "../domain/notices/endpoint";
import type { Command } from "../domain/session/command";
import type { Objects } from "./objects";

/** Owners by endpoint, as their objects name them; undefined for commands that name no endpoint. */
export async function endpointOwners(
  objects: Objects,
  command: Command,
): Promise<Readonly<Record<string, string>> | undefined> {
  const named = command.operation === "handoff" ? (command.notify ?? []) : [];
  if (named.length === 0) return undefined;
  const found = await Promise.all(
    [...new Set(named)].map(async (id) => {
      const hex = endpointHexOf(id) ?? "";
      const reply = await objects.endpoint<Home | null>(hex, (endpoint) => endpoint.home());
      const home = reply?.ok === true ? reply.value : null;
      return home !== null && "owner" in home ? [[hex, home.owner] as const] : [];
    }),
  );
  return Object.fromEntries(found.flat());
}
