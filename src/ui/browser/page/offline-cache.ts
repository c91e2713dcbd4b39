/**
 * The page for a reload without a network. While a link is open, this browser caches one page that is the
 * same for everyone, with its assets, and registers a service worker for this link only. A response of a
 * link must never be cached. Both are removed when the link has ended.
 */
import { hasLink, main, path } from "./dom";
import { pageState } from "./page-state";

const CACHE_NAME = "baton-offline";
const OFFLINE_PAGE = "/h/offline";
const POLL_MS = 3000;

/** Whether this is the cached offline page instead of the link's own. */
export const isOfflinePage = (): boolean => main().dataset["offline"] !== undefined;

/** Without https there are no service workers. A reload then shows the browser's own error page. */
const isSupported = (): boolean => "serviceWorker" in navigator && "caches" in window;

/** Every page view fetches the cached files again, so that they are never older than the last view. */
export async function updateOfflineCache(): Promise<void> {
  const worker = main().dataset["worker"];
  if (!isSupported() || isOfflinePage()) return;
  try {
    if (worker === undefined || !hasLink() || pageState.hasEnded) return await removeOfflineCache();
    const answer = await fetch(`${OFFLINE_PAGE}?lang=${document.documentElement.lang}`);
    if (!answer.ok) return;
    const text = await answer.clone().text();
    const parts = new Set(
      [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, at]) => at),
    );
    const store = await window.caches.open(CACHE_NAME);
    await store.addAll([...parts] as string[]);
    await store.put(OFFLINE_PAGE, answer);
    for (const request of await store.keys()) {
      const { pathname } = new URL(request.url);
      if (pathname !== OFFLINE_PAGE && !parts.has(pathname)) await store.delete(request);
    }
    await navigator.serviceWorker.register(worker, { scope: path() });
  } catch {
    // No space, or disabled: a reload without a network shows the browser's own error page.
  }
}

async function removeOfflineCache(): Promise<void> {
  const mine = await navigator.serviceWorker.getRegistration(path());
  if (mine?.scope !== new URL(path(), location.href).href) return;
  await mine.unregister();
  const others = await navigator.serviceWorker.getRegistrations();
  if (others.every(({ scope }) => !new URL(scope).pathname.startsWith("/h/"))) {
    await window.caches.delete(CACHE_NAME);
  }
}

/** On the offline page: reloads the link as soon as the network answers. */
export function waitForNetwork(): void {
  if (!isOfflinePage()) return;
  const timer = setInterval(() => {
    fetch(path(), { method: "HEAD" }).then(
      () => {
        clearInterval(timer);
        location.reload();
      },
      () => undefined,
    );
  }, POLL_MS);
}
