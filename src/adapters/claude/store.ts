/**
 * A session store for the Claude Agent SDK: each transcript is a Baton session, each project an index
 * beside them. What a subprocess mirrors on one machine is resumed on any other.
 */
import { Journal, type AdapterOptions } from "../journal";
import { nameOf } from "../names";
import { ProjectIndex } from "./project-index";
import type { FoldSummary, SessionKey, SessionStoreEntry, SessionSummaryEntry } from "./protocol";
import { Transcript } from "./transcript";

/** Where the transcripts are kept. */
export interface BatonSessionStoreOptions extends AdapterOptions {
  /**
   * `foldSessionSummary` of the Claude Agent SDK, by which summaries are kept up to date as entries
   * are appended. Without it `listSessionSummaries` knows none, and the SDK reads the transcripts.
   */
  readonly foldSessionSummary?: FoldSummary;
  /**
   * One name for the project, in place of what the SDK makes of the folder it runs in: with it a
   * session is found from any folder and machine.
   */
  readonly projectKey?: string;
}

interface Kept<F> {
  readonly journal: Journal;
  readonly state: F;
}

/**
 * Keeps the transcripts of the Claude Agent SDK in Baton.
 *
 * @example
 * ```ts
 * import { foldSessionSummary, query } from "@anthropic-ai/claude-agent-sdk";
 * import { Baton } from "@baton-sessions/baton/client";
 * import { BatonSessionStore } from "@baton-sessions/baton/claude";
 *
 * const baton = Baton.connect("http://localhost:8787", { key: process.env.BATON_KEY });
 * const sessionStore = new BatonSessionStore({ baton, foldSessionSummary });
 * for await (const message of query({ prompt: "Go on.", options: { sessionStore, resume: "…" } })) {
 *   console.log(message);
 * }
 * ```
 */
export class BatonSessionStore {
  readonly #options: BatonSessionStoreOptions;
  readonly #transcripts = new Map<string, Promise<Kept<Transcript>>>();
  readonly #projects = new Map<string, Promise<Kept<ProjectIndex>>>();
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(options: BatonSessionStoreOptions) {
    this.#options = options;
  }

  /** Appends entries in the order of calls; those whose `uuid` is known already are left out. */
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    if (entries.length === 0) return Promise.resolve();
    return this.#inTurn(key, async () => {
      const { journal, state } = await this.#transcript(key);
      await journal.catchUp();
      const events = state.eventsFor(key.subpath, entries);
      if (events.length > 0) await journal.append(events);
      // Also where nothing was new: an earlier attempt may have ended before it was told.
      if (key.subpath !== undefined) return;
      const project = await this.#project(key.projectKey);
      await project.journal.append([ProjectIndex.touched(state.outline())]);
    });
  }

  /** All entries of a transcript, or null where none was ever appended. */
  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const { journal, state } = await this.#transcript(key);
    return (await journal.catchUp()) ? state.entries(key.subpath) : null;
  }

  /** The sessions of a project, with the server's time of their last entry. */
  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    const { journal, state } = await this.#project(projectKey);
    return (await journal.catchUp()) ? state.sessions() : [];
  }

  /** Summaries as they were folded when entries were appended, in one request. */
  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    const { journal, state } = await this.#project(projectKey);
    return (await journal.catchUp()) ? state.summaries() : [];
  }

  /** Removes a transcript with its subagents', or one subagent's alone. */
  delete(key: SessionKey): Promise<void> {
    return this.#inTurn(key, async () => {
      const { journal, state } = await this.#transcript(key);
      if (key.subpath !== undefined) {
        const isThere = (await journal.catchUp()) && state.entries(key.subpath) !== null;
        if (isThere) await journal.append([Transcript.deletion(key.subpath)]);
        return;
      }
      const hasMain = (await journal.catchUp()) && state.hasMain();
      await journal.purge();
      if (!hasMain) return;
      const project = await this.#project(key.projectKey);
      await project.journal.append([ProjectIndex.removed(key.sessionId)]);
    });
  }

  /** The subagents' transcripts of a session. */
  async listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]> {
    const { journal, state } = await this.#transcript(key);
    return (await journal.catchUp()) ? state.subpaths() : [];
  }

  #transcript({ projectKey: folder, sessionId }: SessionKey): Promise<Kept<Transcript>> {
    const { projectKey = folder } = this.#options;
    const id = JSON.stringify([projectKey, sessionId]);
    const { foldSessionSummary = null } = this.#options;
    const make = () => new Transcript({ projectKey, sessionId }, foldSessionSummary);
    const title = `Claude session ${sessionId}`;
    return this.#kept(this.#transcripts, id, make, title, "claude", projectKey, sessionId);
  }

  #project(folder: string): Promise<Kept<ProjectIndex>> {
    const { projectKey = folder } = this.#options;
    const title = `Claude sessions of ${projectKey}`;
    return this.#kept(this.#projects, projectKey, newIndex, title, "claude-project", projectKey);
  }

  #kept<F extends Pick<Transcript, "fold" | "reset">>(
    kept: Map<string, Promise<Kept<F>>>,
    id: string,
    make: () => F,
    title: string,
    kind: string,
    ...ids: readonly string[]
  ): Promise<Kept<F>> {
    const { namespace = "default" } = this.#options;
    const earlier = kept.get(id);
    if (earlier !== undefined) return earlier;
    const made = nameOf(kind, namespace, ...ids).then((name) => {
      const state = make();
      const journal = new Journal({
        ...this.#options,
        name,
        title: title.slice(0, 200),
        fold: (entry) => state.fold(entry),
        reset: () => state.reset(),
      });
      return { journal, state };
    });
    kept.set(id, made);
    return made;
  }

  /** One after another by session, in the order of calls. */
  #inTurn(key: SessionKey, work: () => Promise<void>): Promise<void> {
    const id = JSON.stringify([key.projectKey, key.sessionId]);
    const turn = (this.#turns.get(id) ?? Promise.resolve()).then(work);
    const settled = turn.catch(() => undefined);
    this.#turns.set(id, settled);
    void settled.then(() => {
      if (this.#turns.get(id) === settled) this.#turns.delete(id);
    });
    return turn;
  }
}

const newIndex = (): ProjectIndex => new ProjectIndex();
