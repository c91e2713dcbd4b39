/**
 * What a commit of this session promised elsewhere: the child of a fork, a link in the directory, a
 * job in the queue of its agent. Each step is idempotent: it runs before the answer, again for a
 * repeated request, and again from the alarm until it is acknowledged.
 */
import type { ChildPlan } from "../domain/checkpoints/fork";
import { objectIdHexOf, type SessionId } from "../domain/ids";
import { shardOf } from "../domain/links/link";
import type { Job } from "../domain/jobs/job";
import { agentsOf } from "../domain/jobs/agents-setting";
import { placeOfQueue } from "../domain/jobs/queues";
import { ownersObject, sharedObject } from "../domain/owners/place";
import type { Origin } from "../domain/participants/binding";
import type { Location } from "../domain/session/location";
import { isTerminal } from "../domain/session/state";
import type { SessionOutline, SessionView } from "../domain/session/view";
import type { Env } from "../env";
import type { Loaded } from "../storage/session-store";
import type { QueuePort } from "./agent-queue";
import { storeQuietly } from "./commit";
import { hexOf, type Room } from "./room";
import type { SessionPort } from "./door";
import type { DirectoryPort, Reply } from "./messages";
import { markListed, unlisted } from "./open-link";
import { recordOffer, unoffered } from "./overdue-jobs";

export class SecondSteps {
  /** Asked each time: a fault is tried by giving the object another binding. */
  readonly #env: () => Env;
  readonly #room: Room;

  constructor(env: () => Env, room: Room) {
    this.#env = env;
    this.#room = room;
  }

  /** Of a submission, and of a job that lost its executor. */
  async offerJobs(): Promise<void> {
    await Promise.allSettled(unoffered(this.#room).map((job) => this.#offer(job)));
  }

  async #offer({ agent, number, tokens }: Job): Promise<void> {
    const env = this.#env();
    const { AGENT_QUEUE } = env;
    const session = this.#room.store.load()?.session;
    const owner = session?.belongs?.owner ?? null;
    const own = session?.location?.jurisdiction;
    const agents = agentsOf(env.AGENTS);
    // Tried again once the list can be read: nobody can take the job before that either.
    if (!agents.ok) return;
    const { object, queue } = placeOfQueue(agents.value, owner, agent);
    const id = ownersObject(env, AGENT_QUEUE, owner, object, own);
    const stub = AGENT_QUEUE.get(id) as unknown as QueuePort;
    const objectIdHex = hexOf(this.#room);
    await stub.offer(queue, { objectIdHex, number, attempt: tokens.length });
    recordOffer(this.#room, number);
  }

  /** The child that the parent has promised, made if it is not there yet. */
  async childOf(hex: string, plan: ChildPlan | null, from: Origin | undefined) {
    if (plan !== null) return this.makePlanned(plan, from);
    return valueOf(await this.#sessionAt(hex).read({ kind: "child", ...origin(from) }));
  }

  async makePlanned(plan: ChildPlan, from?: Origin): Promise<SessionView | SessionOutline | null> {
    const child = this.#sessionAt(plan.childHex, plan.location?.locationHint);
    const made = valueOf(await child.write({ kind: "beginChild", plan, ...origin(from) }));
    const loaded = this.#room.store.load();
    if (loaded?.plan?.childHex === plan.childHex) {
      storeQuietly(this.#room, { ...loaded, plan: null });
    }
    return made;
  }

  async listLinks(loaded: Loaded | null): Promise<void> {
    if (loaded === null) return;
    const env = this.#env();
    const { HANDOFFS } = env;
    for (const { number, link, expiresAt } of unlisted(loaded.participants)) {
      if (link === undefined) continue;
      const shard = HANDOFFS.get(sharedObject(env, HANDOFFS, shardOf(link.code)));
      // Kept past its end for as long as the session is, so that an old link can say what it was.
      const keepUntil = (expiresAt ?? loaded.session.expiresAt) + loaded.session.retentionMs;
      const entry = { objectIdHex: hexOf(this.#room), participant: number };
      await (shard as unknown as DirectoryPort).list(link.code, entry, keepUntil);
      markListed(this.#room, number);
    }
  }

  #sessionAt(hex: string, locationHint?: Location["locationHint"]): SessionPort {
    const { SESSION } = this.#env();
    const options = locationHint === undefined ? undefined : { locationHint };
    return SESSION.get(SESSION.idFromString(hex), options) as unknown as SessionPort;
  }
}

/** Which of these sessions have ended or are gone? One that does not answer counts as living. */
export async function endedOf(
  { SESSION }: Env,
  ids: readonly SessionId[],
): Promise<readonly SessionId[]> {
  const isEnded = async (id: SessionId): Promise<boolean> => {
    const session = SESSION.get(SESSION.idFromString(objectIdHexOf(id) ?? ""));
    const reply = await (session as unknown as SessionPort).read({ kind: "relative" });
    return reply.ok && (reply.value === null || isTerminal(reply.value.state));
  };
  const ended = await Promise.allSettled(ids.map(isEnded));
  return ids.filter((_, nth) => {
    const { [nth]: one } = ended;
    return one?.status === "fulfilled" && one.value;
  });
}

const origin = (from: Origin | undefined) => (from === undefined ? {} : { from });

/** What is refused here is tried again. */
function valueOf<T>(reply: Reply<T>): T {
  if (!reply.ok) throw new Error(`a second step was refused: ${reply.failure.code}`);
  return reply.value;
}
