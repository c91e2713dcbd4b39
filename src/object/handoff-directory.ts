/**
 * A shard of the directory of short codes. It only routes: it maps the hash of a code to a session
 * and a participant. The session decides whether the link still opens.
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

  /** An ended entry is no longer found, deleted or not: a late alarm costs storage only. */
  override async alarm(): Promise<void> {
    const next = this.#directory.sweep(Date.now());
    if (next !== null) await this.ctx.storage.setAlarm(next);
  }
}
