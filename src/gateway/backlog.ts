/**
 * Announcements that wait in the Worker until the client can receive them. The backlog is bounded. On
 * overflow it is emptied, because what follows a gap is of no use to the client.
 */
import { LIMITS } from "../domain/limits";
import type { Announcement } from "../domain/log/listener-protocol";

/** The cost of an entry in addition to its lines: an announcement without lines is not free. */
const ENTRY_OVERHEAD = 64;

export class Backlog {
  #announcements: Announcement[] = [];
  #length = 0;

  /** In characters, approximately. */
  get length(): number {
    return this.#length;
  }

  get isEmpty(): boolean {
    return this.#announcements.length === 0;
  }

  /** False on overflow: the backlog is then empty. */
  add(announcement: Announcement): boolean {
    if (this.#length + lengthOf(announcement) > LIMITS.listenerBacklog) {
      this.#announcements = [];
      this.#length = 0;
      return false;
    }
    this.#announcements.push(announcement);
    this.#length += lengthOf(announcement);
    return true;
  }

  take(): Announcement | undefined {
    const announcement = this.#announcements.shift();
    if (announcement !== undefined) this.#length -= lengthOf(announcement);
    return announcement;
  }
}

const lengthOf = ({ lines }: Announcement): number =>
  (lines ?? []).reduce((length, line) => length + line.length, ENTRY_OVERHEAD);
