/** What this machine remembers, in the user's config folder: saved sessions, runs and settings. */
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { SavedSession } from "../client/index";
import { readText, replaceFile } from "../client-node/atomic-file";
import { FileTokenStore, withFileLock } from "../client-node/index";
import { UsageError } from "./command";

interface Settings {
  readonly url?: string;
  /** The session that commands mean when none is named. */
  readonly current?: string;
}

export const SETTINGS = ["url", "current"] as const;
export type SettingName = (typeof SETTINGS)[number];

/** Another command has finished by then, or is told of as being at work. */
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

  /** The name under which a session is saved here, given that name or the session's id. */
  async resolveName(given: string): Promise<string> {
    if (!given.startsWith("ses_") || (await this.store.load(given)) !== null) return given;
    for (const name of await this.store.list()) {
      if ((await this.store.load(name))?.sessionId === given) return name;
    }
    return given;
  }

  /** What is saved under a name, and then the sessions that its work went on in: each is saved for it alone. */
  async successionOf(name: string): Promise<readonly { name: string; saved: SavedSession }[]> {
    const saved = await this.store.load(name);
    if (saved === null) return [];
    const { successor } = saved;
    return [{ name, saved }, ...(successor === null ? [] : await this.successionOf(successor))];
  }

  /** Removes all of that, given a name or an id; gives the name. */
  async forget(given: string): Promise<string> {
    const wanted = await this.resolveName(given);
    const line = await this.successionOf(wanted);
    if (line.length === 0) throw new UsageError(`No session "${wanted}" is saved on this machine.`);
    for (const { name } of line) await this.store.exclusively(name, () => this.store.remove(name));
    return wanted;
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
