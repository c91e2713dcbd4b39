/** An object namespace that records the jurisdiction and location hint of each object. */
import { env } from "cloudflare:test";
import type { Env } from "../../src/env";

export interface Recorder {
  /** Each created id, as `jurisdiction how`. */
  readonly ids: string[];
  /** The location hint of the first stub of each object. */
  readonly hints: Map<string, string | undefined>;
  readonly namespace: DurableObjectNamespace;
}

/** Uses the real objects, with separate ids for each jurisdiction. */
export function createRecorder(SESSION = (env as unknown as Env).SESSION): Recorder {
  const ids: string[] = [];
  const hints = new Map<string, string | undefined>();
  const namespaceIn = (jurisdiction: string) => ({
    newUniqueId() {
      ids.push(`${jurisdiction} unique`);
      return SESSION.newUniqueId();
    },
    idFromName(name: string) {
      ids.push(`${jurisdiction} named`);
      return SESSION.idFromName(jurisdiction + name);
    },
    idFromString: (hex: string) => SESSION.idFromString(hex),
    get(id: DurableObjectId, options?: { readonly locationHint?: string }) {
      if (!hints.has(id.toString())) hints.set(id.toString(), options?.locationHint);
      return SESSION.get(id);
    },
  });
  const namespace = { ...namespaceIn("anywhere"), jurisdiction: namespaceIn } as never;
  return { ids, hints, namespace };
}

export const recordedLocations = ({ ids }: Recorder): readonly string[] => [...new Set(ids)];
