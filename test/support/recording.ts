/** A namespace of objects that keeps in mind where each of them was to be. */
import { env } from "cloudflare:test";
import type { Env } from "../../src/env";

export interface Recorder {
  /** Each id that was made, as `jurisdiction how`. */
  readonly ids: string[];
  /** Each stub that was got for an object nobody had called, with its hint. */
  readonly hints: Map<string, string | undefined>;
  readonly namespace: DurableObjectNamespace;
}

/** The real objects, under ids that each jurisdiction has for itself. */
export function createRecorder(SESSION = (env as unknown as Env).SESSION): Recorder {
  const ids: string[] = [];
  const hints = new Map<string, string | undefined>();
  const made = (where: string) => ({
    newUniqueId() {
      ids.push(`${where} unique`);
      return SESSION.newUniqueId();
    },
    idFromName(name: string) {
      ids.push(`${where} named`);
      return SESSION.idFromName(where + name);
    },
    idFromString: (hex: string) => SESSION.idFromString(hex),
    get(id: DurableObjectId, options?: { readonly locationHint?: string }) {
      if (!hints.has(id.toString())) hints.set(id.toString(), options?.locationHint);
      return SESSION.get(id);
    },
  });
  const namespace = { ...made("anywhere"), jurisdiction: made } as never;
  return { ids, hints, namespace };
}

export const recordedLocations = ({ ids }: Recorder): readonly string[] => [...new Set(ids)];
