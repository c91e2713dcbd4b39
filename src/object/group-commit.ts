/**
 * Appends that arrive while the disk is busy are written together. The first is written at once.
 * Those that arrive while its bytes are synced wait for that, and are then written one after
 * another without a pause, which the platform stores with one transaction and one sync. Each is
 * admitted, timed and numbered when it is written, and a failed one undoes no other. A single
 * append never waits.
 */
interface Waiting {
  readonly write: () => void;
  readonly fail: (error: unknown) => void;
}

export class GroupCommit {
  readonly #sync: () => Promise<void>;
  #isSyncing = false;
  #waiting: Waiting[] = [];

  /** `sync` resolves once everything written so far is on the disk. */
  constructor(sync: () => Promise<void>) {
    this.#sync = sync;
  }

  /**
   * Runs `write`, which is synchronous, now or with the next group. Its response is returned at
   * once: the platform lets no message leave the object before the writes are on the disk.
   */
  async add<T>(write: () => T): Promise<T> {
    if (this.#isSyncing) {
      return new Promise<T>((resolve, reject) => {
        this.#waiting.push({ write: () => resolve(write()), fail: reject });
      });
    }
    const written = write();
    void this.#writeGroups();
    return written;
  }

  async #writeGroups(): Promise<void> {
    this.#isSyncing = true;
    try {
      for (;;) {
        await this.#sync();
        const group = this.#takeGroup();
        if (group.length === 0) return;
        for (const one of group) writeOne(one);
      }
    } catch (error) {
      // The disk failed, and the platform ends this object: waiting callers get the error.
      for (const { fail } of this.#takeGroup()) fail(error);
    } finally {
      this.#isSyncing = false;
    }
  }

  #takeGroup(): readonly Waiting[] {
    const group = this.#waiting;
    this.#waiting = [];
    return group;
  }
}

function writeOne({ write, fail }: Waiting): void {
  try {
    write();
  } catch (error) {
    fail(error);
  }
}
