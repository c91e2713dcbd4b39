/** Every observer of a run over a network: all sessions belong to one owner, and every law has something to check. */
import type { Observer } from "../observer.ts";
import { EvidenceObserver } from "./evidence.ts";
import { MalformedObserver } from "./malformed.ts";
import { OwnerObserver } from "./owner-directory.ts";
import { WebhookObserver } from "./webhook-receiver.ts";

export async function createObservers(): Promise<readonly Observer[]> {
  const owner = new OwnerObserver();
  const webhooks = await WebhookObserver.create(owner);
  // What sends ends first, so that the others see how it ended.
  return [new MalformedObserver(), owner, webhooks, new EvidenceObserver()];
}
