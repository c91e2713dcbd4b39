/**
 * The service worker of a link's page. If the network does not answer, it serves the offline page and the
 * assets that page/offline-cache.ts has cached. It caches nothing itself.
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

async function networkOrCache(request: Request, cacheKey: Request | string): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const found = await worker.caches.match(cacheKey);
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
