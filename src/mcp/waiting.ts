/** What wait_for waits for, where it begins, and how it tells what came or that nothing will. */
import type { LogEvent } from "../domain/log/event";
import { eventsIn } from "../domain/log/event-line";
import { awaitEvents } from "../gateway/await-events";
import type { Gateway, GatewayReply } from "../gateway/gateway";
import type { Presented } from "../gateway/session-calls";
import { endingText, HANDOFF_ENDINGS, inVain, readPeople, type People } from "./people";

/** Who waits for an answer waits for every other ending as well: it would wait in vain. */
const awaited = (types: readonly string[] = HANDOFF_ENDINGS): readonly string[] =>
  types.includes("handoff.answered") ? [...new Set([...types, ...HANDOFF_ENDINGS])] : types;

interface Wait {
  readonly after: number | undefined;
  readonly types: readonly string[] | undefined;
  readonly timeoutMs: number;
}

interface Waited {
  readonly event: LogEvent | null;
  readonly nextAfter: number;
  readonly expiresAt: string;
  /** Why there will be none. */
  readonly vain: string | null;
}

export async function waitFor(
  gateway: Gateway,
  presented: Presented,
  { after, types: given, timeoutMs }: Wait,
): Promise<GatewayReply<Waited>> {
  const types = awaited(given);
  const before = await outlook(gateway, presented, types);
  if (!before.ok) return before;
  const start = after ?? (await startOf(gateway, presented, before.value.people));
  const page =
    before.value.vain === null
      ? await awaitEvents(gateway.follow(presented, start, types), timeoutMs, 1)
      : await gateway.events(presented, "events", { after: start, limit: 1, types });
  if (!page.ok) return page;
  const { texts, nextAfter, expiresAt } = page.value;
  const [event = null] = eventsIn(texts);
  // It may have ended meanwhile, or the last link may have.
  const now = event === null ? await outlook(gateway, presented, types) : before;
  if (!now.ok) return now;
  const { vain } = now.value;
  const value = { event, nextAfter: event?.seq ?? nextAfter, expiresAt, vain };
  return { ...before, value };
}

async function outlook(gateway: Gateway, presented: Presented, types: readonly string[]) {
  const shown = await gateway.get(presented);
  if (!shown.ok) return shown;
  const { view } = shown.value;
  const people = await readPeople(gateway, presented, view, Date.now());
  if (!people.ok) return people;
  const vain = inVain(view, people.value, types);
  return { ...shown, value: { people: people.value, vain } };
}

/**
 * Where the answer to the newest link cannot be missed: its asking, or the participant's last resume if
 * that was earlier (null: the log begins there by itself). Who was let in later has seen neither.
 */
async function startOf(
  gateway: Gateway,
  presented: Presented,
  { askedAt }: People,
): Promise<number | null> {
  if (askedAt === null) return null;
  const place = await gateway.read(presented, "resumable", { lastEventSeq: null, auto: false });
  if (!place.ok) return null;
  const { head, behindBy } = place.value;
  return Math.min(askedAt, head - (behindBy ?? 0));
}

export function waitedText({ event, nextAfter, vain }: Waited): string {
  if (event === null) return vain ?? `Nothing yet: call wait_for again with after: ${nextAfter}.`;
  const { type, seq } = event;
  const found = HANDOFF_ENDINGS.includes(type) ? endingText(event) : `${type} at ${seq}`;
  return `${found}. To continue, call resume_session.`;
}
