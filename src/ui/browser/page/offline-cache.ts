/**
 * What a reload without a network shows. While a link is open, this browser stores one page that is the
 * same for everybody, with its style and script, and a service worker for this link only. No answer of a
 * link is ever stored. Both go when the link is over.
 */
import { hasLink, main, path } from "./dom";
import { pageState } from "./page-state";

const CACHE_NAME = "baton-offline";
const OFFLINE_PAGE = "/h/offline";
const POLL_MS = 3000;

/** Whether this is the stored page, in place of the link's own. */
export const isOfflinePage = (): boolean => main().dataset["offline"] !== undefined;

/** Without https there are no service workers: a reload then shows the browser's own page. */
const isSupported = (): boolean => "serviceWorker" in navigator && "caches" in window;

/** What is stored is asked for anew by every page, so that it is never older than the last visit. */
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
    // No room, or switched off: a reload without a network shows the browser's own page.
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

/** On the stored page: it goes back to the link by itself. */
export function waitForNetwork(): void {
  if (!isOfflinePage()) return;
  const look = setInterval(() => {
    fetch(path(), { method: "HEAD" }).then(
      () => {
        clearInterval(look);
        location.reload();
      },
      () => undefined,
    );
  }, POLL_MS);
}
