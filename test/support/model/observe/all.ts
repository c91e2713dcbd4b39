/** Every observer of a run over a network: all sessions belong to one owner, and every law has something to check. */
import type { Observer } from "../observer.ts";
import { EvidenceObserver } from "./evidence.ts";
import { MalformedObserver } from "./malformed.ts";
import { OwnerObserver } from "./owner-directory.ts";
import { WebhookObserver } from "./webhook-receiver.ts";

export async function createObservers(): Promise<readonly Observer[]> {
  // What sends ends first, so that the others see how it ended.
  return [new MalformedObserver(), ...(await aroundSessions(false))];
}

/** Those that look at the sessions of plans, and behave alike each time. */
export const createSteadyObservers = (): Promise<readonly Observer[]> => aroundSessions(true);

async function aroundSessions(isSteady: boolean): Promise<readonly Observer[]> {
  const owner = new OwnerObserver();
  return [owner, await WebhookObserver.create(owner, isSteady), new EvidenceObserver()];
}
