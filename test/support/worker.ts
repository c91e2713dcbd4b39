/** The Worker inside the test runtime, reached through its own fetch handler. */
import { env, exports } from "cloudflare:workers";
import { evictDurableObject, listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import type { Env } from "../../src/env";
import { objectIdHexOf } from "../../src/domain/ids";
import type { SessionObject } from "../../src/object/session-object";
import { Client, type CreatedSession } from "./client";

const worker = exports as unknown as { default: { fetch(request: Request): Promise<Response> } };
export const fetchWorker = (request: Request): Promise<Response> => worker.default.fetch(request);
export const client = new Client(fetchWorker);

const namespace = (env as unknown as Env)
  .SESSION as unknown as DurableObjectNamespace<SessionObject>;

export function stubOf({ id }: Pick<CreatedSession, "id">): DurableObjectStub<SessionObject> {
  return namespace.get(namespace.idFromString(objectIdHexOf(id) ?? ""));
}

/** Runs inside the object with this id, in hex. */
export const insideObject = <T>(
  objectId: string,
  look: (instance: SessionObject, state: DurableObjectState) => T | Promise<T>,
): Promise<T> => runInDurableObject(namespace.get(namespace.idFromString(objectId)), look);

/** Runs a function inside the session's object, with its storage. */
export const inside = <T>(
  session: Pick<CreatedSession, "id">,
  run: (instance: SessionObject, state: DurableObjectState) => T | Promise<T>,
): Promise<T> => runInDurableObject(stubOf(session), run);

/** Adds bindings and settings to an object and returns the previous ones. */
export const bindAt = (stub: DurableObjectStub<never>, bindings: object): Promise<Env> =>
  runInDurableObject(stub, (instance) => {
    const holder = instance as unknown as { env: Env };
    const before = holder.env;
    holder.env = { ...before, ...bindings };
    return before;
  });

/** The same for a session's object. */
export const bindIn = (session: Pick<CreatedSession, "id">, bindings: object): Promise<Env> =>
  bindAt(stubOf(session) as never, bindings);

/** Changes rows directly in storage and evicts the object, so that its cache is empty. */
export async function rewrite(
  session: Pick<CreatedSession, "id">,
  change: (sql: SqlStorage) => void,
): Promise<void> {
  await inside(session, (_, { storage }) => change(storage.sql));
  await evictDurableObject(stubOf(session));
}

/** The rows that `act` writes, as the platform bills them. */
export async function rowsWrittenBy(
  session: Pick<CreatedSession, "id">,
  act: () => Promise<unknown>,
): Promise<number> {
  const before = await inside(session, ({ meter }) => meter.rowsWritten);
  await act();
  const after = await inside(session, ({ meter }) => meter.rowsWritten);
  return after - before;
}

export const objectCount = async (): Promise<number> =>
  (await listDurableObjectIds(namespace)).length;
