/** Local state in the user's config folder: saved sessions, runs and settings. */
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { SavedSession } from "../client/index";
import { readText, replaceFile } from "../client-node/atomic-file";
import { FileTokenStore, withFileLock } from "../client-node/index";
import { UsageError } from "./command";

interface Settings {
  readonly url?: string;
  /** The session that commands use if none is named. */
  readonly current?: string;
}

export const SETTINGS = ["url", "current"] as const;
export type SettingName = (typeof SETTINGS)[number];

/** Other commands finish within this time, or are reported as still running. */
const LOCK_WAIT_MS = 10_000;

export class Home {
  readonly folder: string;
  readonly store: FileTokenStore;

  constructor(env: NodeJS.ProcessEnv) {
    const configs = env["XDG_CONFIG_HOME"] || join(homedir(), ".config");
    this.folder = env["BATON_HOME"] || join(configs, "baton");
    this.store = new FileTokenStore(join(this.folder, "sessions"), { lockWaitMs: LOCK_WAIT_MS });
  }

  get runsFolder(): string {
    return join(this.folder, "runs");
  }

  /** The name under which a session is saved here, from that name or the session's id. */
  async resolveName(nameOrId: string): Promise<string> {
    if (!nameOrId.startsWith("ses_") || (await this.store.load(nameOrId)) !== null) return nameOrId;
    for (const name of await this.store.list()) {
      if ((await this.store.load(name))?.sessionId === nameOrId) return name;
    }
    return nameOrId;
  }

  /** The saved session of this name, then the successors in which its work continued. */
  async successionOf(name: string): Promise<readonly { name: string; saved: SavedSession }[]> {
    const saved = await this.store.load(name);
    if (saved === null) return [];
    const { successor } = saved;
    return [{ name, saved }, ...(successor === null ? [] : await this.successionOf(successor))];
  }

  /** Removes the session and its successors, by name or id. Returns the name. */
  async forget(nameOrId: string): Promise<string> {
    const resolved = await this.resolveName(nameOrId);
    const succession = await this.successionOf(resolved);
    if (succession.length === 0)
      throw new UsageError(`No session "${resolved}" is saved on this machine.`);
    for (const { name } of succession)
      await this.store.exclusively(name, () => this.store.remove(name));
    return resolved;
  }

  async settings(): Promise<Settings> {
    const text = await readText(join(this.folder, "config.json"));
    if (text === null) return {};
    try {
      return JSON.parse(text) as Settings;
    } catch {
      throw new UsageError(`${join(this.folder, "config.json")} is not JSON. Repair or remove it.`);
    }
  }

  async changeSettings(changes: {
    readonly [K in SettingName]?: string | undefined;
  }): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const path = join(this.folder, "config.json");
    const replace = async (): Promise<void> => {
      const settings = { ...(await this.settings()), ...changes };
      await replaceFile(path, `${JSON.stringify(settings, null, 2)}\n`);
    };
    await withFileLock(`${path}.lock`, replace, { waitMs: LOCK_WAIT_MS });
  }
}
