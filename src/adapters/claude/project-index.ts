/** The fold of a project's index: its sessions, their last write times and their summaries. */
import type { EventInput, JsonObject } from "../../client";
import type { JournalEntry } from "../journal";
import type { SessionSummaryEntry } from "./protocol";

const TOUCHED = "claude.touched";
const REMOVED = "claude.removed";

interface Row {
  readonly sessionId: string;
  readonly mtime: number;
  readonly seq: number;
  readonly data?: Record<string, unknown>;
}

export class ProjectIndex {
  #rows = new Map<string, Row>();

  reset(): void {
    this.#rows = new Map();
  }

  fold({ type, payload }: JournalEntry): void {
    const row = payload as unknown as Row;
    if (type === REMOVED) this.#rows.delete(row.sessionId);
    if (type !== TOUCHED) return;
    const earlier = this.#rows.get(row.sessionId);
    // Two processes may report out of order; the later state of the transcript counts.
    if (earlier === undefined || earlier.mtime <= row.mtime) this.#rows.set(row.sessionId, row);
  }

  sessions(): { sessionId: string; mtime: number }[] {
    return [...this.#rows.values()].map(({ sessionId, mtime }) => ({ sessionId, mtime }));
  }

  summaries(): SessionSummaryEntry[] {
    return [...this.#rows.values()].flatMap(({ sessionId, mtime, data }) =>
      data === undefined ? [] : [{ sessionId, mtime, data: structuredClone(data) }],
    );
  }

  static touchedEvent(outline: JsonObject): EventInput {
    return { type: TOUCHED, payload: outline };
  }

  static removedEvent(sessionId: string): EventInput {
    return { type: REMOVED, payload: { sessionId } };
  }
}
