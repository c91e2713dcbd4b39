/**
 * The effects of a commit in other objects: the child of a fork, a link in the directory, a job in
 * the queue of its agent. Each effect is idempotent: it runs before the response, again for a
 * repeated request, and again from the alarm until it is acknowledged.
 */
import type { ChildPlan } from "../domain/checkpoints/fork";
import { objectIdHexOf, type SessionId } from "../domain/ids";
import { linkShardName } from "../domain/links/link";
import type { Job } from "../domain/jobs/job";
import { agentsFromSetting } from "../domain/jobs/agents-setting";
import { locateQueue } from "../domain/jobs/queues";
import { ownerObjectId, sharedObjectId } from "../domain/owners/object-location";
import type { RequestOrigin } from "../domain/participants/binding";
import type { Location } from "../domain/session/location";
import { isTerminal } from "../domain/session/state";
import type { SessionOutline, SessionView } from "../domain/session/view";
import type { Env } from "../env";
import type { LoadedSession } from "../storage/session-store";
import type { AgentQueueRpc } from "./agent-queue";
import { saveWithoutEvent } from "./commit";
import { hexOf, type SessionContext } from "./session-context";
import type { SessionRpc } from "./session-rpc";
import type { HandoffDirectoryRpc, Reply } from "./messages";
import { markLinkListed, unlistedLinks } from "./open-link";
import { markJobOffered, unofferedJobs } from "./overdue-jobs";

export class PostCommitEffects {
  /** Read each time: tests inject a fault by giving the object another binding. */
  readonly #env: () => Env;
  readonly #context: SessionContext;

  constructor(env: () => Env, context: SessionContext) {
    this.#env = env;
    this.#context = context;
  }

  /** Jobs that were submitted, or that lost their executor. */
  async offerJobs(): Promise<void> {
    await Promise.allSettled(unofferedJobs(this.#context).map((job) => this.#offer(job)));
  }

  async #offer({ agent, number, tokens }: Job): Promise<void> {
    const env = this.#env();
    const { AGENT_QUEUE } = env;
    const session = this.#context.store.load()?.session;
    const owner = session?.belongs?.owner ?? null;
    const own = session?.location?.jurisdiction;
    const agents = agentsFromSetting(env.AGENTS);
    // Retried once the list can be read: no executor can claim the job before that either.
    if (!agents.ok) return;
    const { object, queue } = locateQueue(agents.value, owner, agent);
    const id = ownerObjectId(env, AGENT_QUEUE, owner, object, own);
    const stub = AGENT_QUEUE.get(id) as unknown as AgentQueueRpc;
    const objectIdHex = hexOf(this.#context);
    await stub.offer(queue, { objectIdHex, number, attempt: tokens.length });
    markJobOffered(this.#context, number);
  }

  /** The child of a committed fork, created if it does not exist yet. */
  async readOrCreateChild(hex: string, plan: ChildPlan | null, from: RequestOrigin | undefined) {
    if (plan !== null) return this.createPlannedChild(plan, from);
    return valueOf(await this.#sessionAt(hex).read({ kind: "child", ...origin(from) }));
  }

  async createPlannedChild(
    plan: ChildPlan,
    from?: RequestOrigin,
  ): Promise<SessionView | SessionOutline | null> {
    const child = this.#sessionAt(plan.childHex, plan.location?.locationHint);
    const onces = this.#context.onces.doneUpTo(plan.parent.seq);
    const message = { plan, ...origin(from), ...(onces.length === 0 ? {} : { onces }) };
    const view = valueOf(await child.write({ kind: "createChild", ...message }));
    const loaded = this.#context.store.load();
    if (loaded?.plan?.childHex === plan.childHex) {
      saveWithoutEvent(this.#context, { ...loaded, plan: null });
    }
    return view;
  }

  async addLinksToDirectory(loaded: LoadedSession | null): Promise<void> {
    if (loaded === null) return;
    const env = this.#env();
    const { HANDOFFS } = env;
    for (const { number, link, expiresAt } of unlistedLinks(loaded.participants)) {
      if (link === undefined) continue;
      const shard = HANDOFFS.get(sharedObjectId(env, HANDOFFS, linkShardName(link.code)));
      // Kept past its end as long as the session is, so that an old link can report its state.
      const keepUntil = (expiresAt ?? loaded.session.expiresAt) + loaded.session.retentionMs;
      const entry = { objectIdHex: hexOf(this.#context), participant: number };
      await (shard as unknown as HandoffDirectoryRpc).list(link.code, entry, keepUntil);
      markLinkListed(this.#context, number);
    }
  }

  #sessionAt(hex: string, locationHint?: Location["locationHint"]): SessionRpc {
    const { SESSION } = this.#env();
    const options = locationHint === undefined ? undefined : { locationHint };
    return SESSION.get(SESSION.idFromString(hex), options) as unknown as SessionRpc;
  }
}

/**
 * Which of these sessions have ended or are gone? A session that does not answer counts as open.
 */
export async function findEndedSessions(
  { SESSION }: Env,
  ids: readonly SessionId[],
): Promise<readonly SessionId[]> {
  const isEnded = async (id: SessionId): Promise<boolean> => {
    const session = SESSION.get(SESSION.idFromString(objectIdHexOf(id) ?? ""));
    const reply = await (session as unknown as SessionRpc).read({ kind: "relative" });
    return reply.ok && (reply.value === null || isTerminal(reply.value.state));
  };
  const ended = await Promise.allSettled(ids.map(isEnded));
  return ids.filter((_, nth) => {
    const { [nth]: one } = ended;
    return one?.status === "fulfilled" && one.value;
  });
}

const origin = (from: RequestOrigin | undefined) => (from === undefined ? {} : { from });

/** A refusal is retried. */
function valueOf<T>(reply: Reply<T>): T {
  if (!reply.ok) throw new Error(`a second step was refused: ${reply.failure.code}`);
  return reply.value;
}
