/**
 * Watches jobs of other sessions: their events are copied into this session's log and reach the client
 * from there like all others. The session stores the cursor, so a resumed connection continues where the
 * last one stopped.
 */
import { eventsIn } from "../domain/log/event-line";
import type { ArcpGateway, Bearer } from "../gateway/arcp-gateway";
import type { Follower } from "../gateway/follower";
import type { UnverifiedCredential } from "../gateway/session-calls";

export class Watchers {
  readonly #arcp: ArcpGateway;
  readonly #credential: UnverifiedCredential;
  readonly #bearer: Bearer | null;
  readonly #followers = new Map<string, Follower | null>();
  #isClosed = false;

  constructor(arcp: ArcpGateway, credential: UnverifiedCredential, bearer: Bearer | null) {
    this.#arcp = arcp;
    this.#credential = credential;
    this.#bearer = bearer;
  }

  has(jobId: string): boolean {
    return this.#followers.has(jobId);
  }

  start(jobId: string, cursor: number): void {
    if (this.#bearer === null || this.has(jobId)) return;
    this.#followers.set(jobId, null);
    void this.#watch(this.#bearer, jobId, cursor).catch(() => {
      // The next connection continues from the stored cursor.
      this.stop(jobId);
    });
  }

  stop(jobId: string): void {
    this.#followers.get(jobId)?.close();
    this.#followers.delete(jobId);
  }

  close(): void {
    this.#isClosed = true;
    for (const follower of this.#followers.values()) follower?.close();
    this.#followers.clear();
  }

  async #watch(bearer: Bearer, jobId: string, cursor: number): Promise<void> {
    const follower = this.#arcp.followJob(bearer, jobId, cursor);
    if (follower === null || this.#isClosed || !this.has(jobId)) return follower?.close();
    this.#followers.set(jobId, follower);
    const first = await follower.start();
    if (!first.ok) return this.stop(jobId);
    let after = cursor;
    for (;;) {
      const step = await follower.next();
      if (this.#isClosed || this.#followers.get(jobId) !== follower) return;
      if (step.kind === "replayed") continue;
      if (step.kind !== "events") return this.stop(jobId);
      const events = eventsIn(step.texts).filter(({ payload }) => payload["jobId"] === jobId);
      if (events.length === 0) continue;
      const copy = { jobId, after, upTo: step.cursor, events };
      const reply = await this.#arcp.save(this.#credential, "mirrorEvents", copy);
      if (!reply.ok) return this.stop(jobId);
      after = step.cursor;
      if (events.some(({ type }) => type === "job.result" || type === "job.error")) {
        await this.#arcp.save(this.#credential, "saveWatchCursor", { jobId, cursor: null });
        return this.stop(jobId);
      }
    }
  }
}
