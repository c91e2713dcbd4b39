/**
 * What a commit of this session promised elsewhere: the child of a fork, a link in the directory, a
 * job in the queue of its agent. Each step is idempotent: it runs before the answer, again for a
 * repeated request, and again from the alarm until it is acknowledged.
 */
import type { ChildPlan } from "../domain/fork";
import { shardOf } from "../domain/link";
import type { Job } from "../domain/job";
import type { SessionView } from "../domain/view";
import type { Env } from "../env";
import type { Loaded } from "../storage/session-store";
import type { QueuePort } from "./agent-queue";
import { hexOf } from "./jobs";
import type { DirectoryPort, SessionPort } from "./messages";
import { markListed, unlisted } from "./open-link";
import { recordOffer, unoffered } from "./overdue-jobs";
import type { Desk } from "./reception";

export class SecondSteps {
  /** Asked each time: a fault is tried by giving the object another binding. */
  readonly #env: () => Env;
  readonly #desk: Desk;

  constructor(env: () => Env, desk: Desk) {
    this.#env = env;
    this.#desk = desk;
  }

  /** Of a submission, and of a job that lost its executor. */
  async offerJobs(): Promise<void> {
    await Promise.allSettled(unoffered(this.#desk).map((job) => this.#offer(job)));
  }

  async #offer({ agent, number, tokens }: Job): Promise<void> {
    const { AGENT_QUEUE } = this.#env();
    const queue = AGENT_QUEUE.get(AGENT_QUEUE.idFromName(agent)) as unknown as QueuePort;
    await queue.offer(hexOf(this.#desk), number, tokens.length);
    recordOffer(this.#desk, number);
  }

  async makePlanned(plan: ChildPlan): Promise<SessionView | null> {
    const child = await this.sessionAt(plan.childHex).beginChild(plan);
    const { store } = this.#desk;
    const loaded = store.load();
    if (loaded?.plan?.childHex === plan.childHex) store.update({ ...loaded, plan: null }, false);
    return child;
  }

  async listLinks(loaded: Loaded | null): Promise<void> {
    if (loaded === null) return;
    const { HANDOFFS } = this.#env();
    for (const { number, link, expiresAt } of unlisted(loaded.participants)) {
      if (link === undefined) continue;
      const shard = HANDOFFS.get(HANDOFFS.idFromName(shardOf(link.code)));
      // Kept past its end for as long as the session is, so that an old link can say what it was.
      const keepUntil = (expiresAt ?? loaded.session.expiresAt) + loaded.session.retentionMs;
      const entry = { objectIdHex: hexOf(this.#desk), participant: number };
      await (shard as unknown as DirectoryPort).list(link.code, entry, keepUntil);
      markListed(this.#desk, number);
    }
  }

  sessionAt(hex: string): SessionPort {
    const { SESSION } = this.#env();
    return SESSION.get(SESSION.idFromString(hex)) as unknown as SessionPort;
  }
}
