/** A program that subscribes with the AI SDK: its client, its webhook handler behind HTTP, and its store. */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

interface Event {
  readonly eventId: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly cursor?: string | null;
}

interface Subscription {
  readonly id: string;
  readonly cursor: string | null;
  readonly truncated: boolean;
}

interface Events {
  list(): Promise<{ readonly events: readonly object[] }>;
  subscribe(options: object): Promise<Subscription>;
  refresh(which: object): Promise<Subscription>;
  unsubscribe(which: object): Promise<void>;
}

/** The part of the package that is used; its own types are not installed where this is compiled. */
export interface AiSdk {
  createMCPClient(config: object): Promise<{
    readonly experimental_events: Events;
    close(): Promise<void>;
  }>;
  experimental_createMCPEventWebhook(options: object): (request: Request) => Promise<Response>;
}

interface SubscriberOptions {
  readonly url: string;
  readonly key: string;
  readonly port: number;
  readonly era: string;
}

interface StoredSubscription {
  readonly key: string;
  readonly id?: string;
}

/** The store that the package needs, in memory. */
function storeInMemory() {
  const all = new Map<string, StoredSubscription>();
  return {
    get: async (key: string) => all.get(key),
    getById: async (id: string) => [...all.values()].find((one) => one.id === id),
    set: async (one: StoredSubscription) => void all.set(one.key, one),
    update: async (key: string, patch: object) => {
      const known = all.get(key);
      if (known !== undefined) all.set(key, { ...known, ...patch });
    },
    delete: async (key: string) => void all.delete(key),
  };
}

const PATIENCE_MS = 30_000;

const until = async (isSo: () => boolean): Promise<void> => {
  const patience = Date.now() + PATIENCE_MS;
  while (!isSo()) {
    if (Date.now() > patience) throw new Error("timed out");
    await sleep(20);
  }
};

export async function createSubscriber(sdk: AiSdk, { url, key, port, era }: SubscriberOptions) {
  const store = storeInMemory();
  const receivedEvents: Event[] = [];
  const attempts: string[] = [];
  const gaps: string[] = [];
  const ends: string[] = [];
  let refusals = 0;
  const handler = sdk.experimental_createMCPEventWebhook({
    store,
    onEvent: async ({ event }: { readonly event: Event }) => {
      if (refusals > 0) {
        refusals -= 1;
        throw new Error("not now");
      }
      receivedEvents.push(event);
    },
    onGap: async ({ gap }: { readonly gap: { readonly cursor: string } }) => {
      gaps.push(gap.cursor);
    },
    onTerminated: async ({ subscription }: { readonly subscription: { readonly id: string } }) => {
      ends.push(subscription.id);
    },
  });
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    const isEvent = body.includes('"eventId"');
    if (isEvent) attempts.push(String(request.headers["webhook-id"]));
    const forwarded = new Request(`http://127.0.0.1:${port}${request.url}`, {
      method: "POST",
      headers: new Headers(request.headers as Record<string, string>),
      body,
    });
    const answer = await handler(forwarded);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const client = await sdk.createMCPClient({
    transport: { type: "http", url, headers: { Authorization: `Bearer ${key}` } },
    // The older era lists its capabilities in the answer to `initialize`.
    protocolVersionDiscovery: era === "2026-07-28",
    experimental_events: { store },
  });
  const events = client.experimental_events;

  return {
    events,
    receivedEvents,
    attempts,
    gaps,
    ends,
    until,
    received: (count: number) => until(() => receivedEvents.length >= count),
    refuseOnce: () => {
      refusals = 1;
    },
    subscribe: (name: string, args: object, cursor: string | null = null) =>
      events.subscribe({
        name,
        arguments: args,
        cursor,
        delivery: {
          mode: "webhook",
          url: `http://127.0.0.1:${port}/hook`,
          allowInsecureLocalhost: true,
        },
      }),
    close: async (): Promise<void> => {
      await client.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
