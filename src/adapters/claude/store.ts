/**
 * A session store for the Claude Agent SDK: each transcript is a Baton session, and each project
 * has an index session. A transcript that was written on one machine can be resumed on any other.
 */
import { Turns } from "../../client";
import { Journal, getOrCreate, type AdapterOptions } from "../journal";
import { ProjectIndex } from "./project-index";
import type { FoldSummary, SessionKey, SessionStoreEntry, SessionSummaryEntry } from "./protocol";
import { Transcript } from "./transcript";

/** Where the transcripts are stored. */
export interface BatonSessionStoreOptions extends AdapterOptions {
  /**
   * `foldSessionSummary` of the Claude Agent SDK, which updates summaries as entries are appended.
   * Without it `listSessionSummaries` returns none, and the SDK reads the transcripts.
   */
  readonly foldSessionSummary?: FoldSummary;
  /**
   * A fixed name for the project instead of the one that the SDK derives from its folder: with it a
   * session is found from any folder and machine.
   */
  readonly projectKey?: string;
}

/**
 * Stores the transcripts of the Claude Agent SDK in Baton.
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
  readonly #transcripts = new Map<string, Journal<Transcript>>();
  readonly #projects = new Map<string, Journal<ProjectIndex>>();
  readonly #turns = new Turns();

  constructor(options: BatonSessionStoreOptions) {
    this.#options = options;
  }

  /** Appends entries in the order of calls; entries with a known `uuid` are skipped. */
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    if (entries.length === 0) return Promise.resolve();
    return this.#inTurn(key, async () => {
      const transcript = this.#transcript(key);
      await transcript.catchUp();
      const events = transcript.state.eventsFor(key.subpath, entries);
      if (events.length > 0) await transcript.append(events);
      // Also if nothing was new: an earlier attempt may have ended before it updated the index.
      if (key.subpath !== undefined) return;
      const touched = ProjectIndex.touchedEvent(transcript.state.outline());
      await this.#project(key.projectKey).append([touched]);
    });
  }

  /** All entries of a transcript, or null if none was ever appended. */
  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const transcript = this.#transcript(key);
    return (await transcript.catchUp()) ? transcript.state.entries(key.subpath) : null;
  }

  /** The sessions of a project, with the server time of their last entry. */
  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    const project = this.#project(projectKey);
    return (await project.catchUp()) ? project.state.sessions() : [];
  }

  /** Summaries that were folded as entries were appended, in one request. */
  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    const project = this.#project(projectKey);
    return (await project.catchUp()) ? project.state.summaries() : [];
  }

  /** Deletes a transcript with those of its subagents, or only one subagent's. */
  delete(key: SessionKey): Promise<void> {
    return this.#inTurn(key, async () => {
      const transcript = this.#transcript(key);
      const exists = (await transcript.catchUp()) && transcript.state.has(key.subpath);
      if (key.subpath !== undefined) {
        if (exists) await transcript.append([Transcript.deletedEvent(key.subpath)]);
        return;
      }
      await transcript.purge();
      if (exists)
        await this.#project(key.projectKey).append([ProjectIndex.removedEvent(key.sessionId)]);
    });
  }

  /** The paths of the subagents' transcripts of a session. */
  async listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]> {
    const transcript = this.#transcript(key);
    return (await transcript.catchUp()) ? transcript.state.subpaths() : [];
  }

  #transcript({ projectKey: folder, sessionId }: SessionKey): Journal<Transcript> {
    const { projectKey = folder, foldSessionSummary = null } = this.#options;
    return getOrCreate(this.#transcripts, JSON.stringify([projectKey, sessionId]), () => {
      const state = new Transcript({ projectKey, sessionId }, foldSessionSummary);
      const title = `Claude session ${sessionId}`;
      return new Journal(this.#options, state, title, "claude", projectKey, sessionId);
    });
  }

  #project(folder: string): Journal<ProjectIndex> {
    const { projectKey = folder } = this.#options;
    return getOrCreate(this.#projects, projectKey, () => {
      const title = `Claude sessions of ${projectKey}`;
      return new Journal(this.#options, new ProjectIndex(), title, "claude-project", projectKey);
    });
  }

  /** Sequential per session, in the order of calls. */
  #inTurn({ projectKey, sessionId }: SessionKey, work: () => Promise<void>): Promise<void> {
    return this.#turns.take(JSON.stringify([projectKey, sessionId]), work);
  }
}
