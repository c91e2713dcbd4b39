/**
 * A shard of the directory of short codes. It only routes: which session and participant a code's
 * hash stands for. Whether the link still opens is the session's to say.
 */
import { LinkDirectory } from "../storage/link-directory";
import type { HandoffDirectoryRpc, LinkEntry } from "./messages";
import { StoredObject } from "./stored-object";

export class HandoffDirectory extends StoredObject implements HandoffDirectoryRpc {
  readonly #directory = new LinkDirectory(this.sql);

  async list(code: string, entry: LinkEntry, keepUntil: number): Promise<void> {
    this.#directory.add(code, entry, keepUntil);
    const armed = await this.ctx.storage.getAlarm();
    if (armed === null) await this.ctx.storage.setAlarm(keepUntil);
  }

  async find(code: string): Promise<LinkEntry | null> {
    return this.#directory.find(code, Date.now());
  }

  /** An entry that is over is no longer found, swept or not: a late alarm costs storage only. */
  override async alarm(): Promise<void> {
    const next = this.#directory.sweep(Date.now());
    if (next !== null) await this.ctx.storage.setAlarm(next);
  }
}
