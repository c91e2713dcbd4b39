/**
 * Announcement that waits in the Worker until a client has room for it. Bounded: what does not fit is not
 * kept, and neither is the rest, because it would not follow what the client has.
 */
import { LIMITS } from "../domain/limits";
import type { Announcement } from "../domain/log/listener-protocol";

/** What one entry costs beside its lines; an announcement without lines is not free either. */
const ENTRY_OVERHEAD = 64;

export class Backlog {
  #announcements: Announcement[] = [];
  #length = 0;

  /** In characters, about. */
  get length(): number {
    return this.#length;
  }

  get isEmpty(): boolean {
    return this.#announcements.length === 0;
  }

  /** False when there was no room: now nothing is kept. */
  add(news: Announcement): boolean {
    if (this.#length + lengthOf(news) > LIMITS.listenerBacklog) {
      this.#announcements = [];
      this.#length = 0;
      return false;
    }
    this.#announcements.push(news);
    this.#length += lengthOf(news);
    return true;
  }

  take(): Announcement | undefined {
    const news = this.#announcements.shift();
    if (news !== undefined) this.#length -= lengthOf(news);
    return news;
  }
}

const lengthOf = ({ lines }: Announcement): number =>
  (lines ?? []).reduce((length, line) => length + line.length, ENTRY_OVERHEAD);
