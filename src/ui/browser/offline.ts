/**
 * The service worker of a link's page: where the network does not answer, a load of that page gets the
 * one that page/for-later.ts has stored. It stores nothing itself and answers nothing else.
 */
interface WorkerFetchEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface ServiceWorkerScope {
  addEventListener(name: "install", then: () => void): void;
  addEventListener(name: "fetch", then: (event: WorkerFetchEvent) => void): void;
  skipWaiting(): Promise<void>;
  readonly caches: CacheStorage;
}

const worker = self as unknown as ServiceWorkerScope;

async function networkOrCache(request: Request, kept: Request | string): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const found = await worker.caches.match(kept);
    if (found === undefined) throw error;
    return found;
  }
}

worker.addEventListener("install", () => void worker.skipWaiting());

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  if (request.mode === "navigate") event.respondWith(networkOrCache(request, "/h/offline"));
  else if (new URL(request.url).pathname.startsWith("/assets/")) {
    event.respondWith(networkOrCache(request, request));
  }
});
