/** What this machine remembers, in the user's config folder: saved sessions, runs and settings. */
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { readText, replaceFile } from "../client-node/draft";
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

  get runs(): string {
    return join(this.folder, "runs");
  }

  /** The name under which a session is saved here, given that name or the session's id. */
  async nameOf(given: string): Promise<string> {
    if (!given.startsWith("ses_") || (await this.store.load(given)) !== null) return given;
    for (const name of await this.store.list()) {
      if ((await this.store.load(name))?.sessionId === given) return name;
    }
    return given;
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

  async change(changes: { readonly [K in SettingName]?: string | undefined }): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const path = join(this.folder, "config.json");
    const replace = async (): Promise<void> => {
      const settings = { ...(await this.settings()), ...changes };
      await replaceFile(path, `${JSON.stringify(settings, null, 2)}\n`);
    };
    await withFileLock(`${path}.lock`, replace, { waitMs: LOCK_WAIT_MS });
  }
}
