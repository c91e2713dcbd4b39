/** Walks a line of forks one relative at a time: up to the root, then down to the newest leaf. */
import type { SessionId } from "../domain/ids";
import { LIMITS } from "../domain/limits";
import type { LineageNode, Reply } from "../object/messages";

export interface LineageEntry {
  readonly sessionId: SessionId;
  readonly title: string | null;
  /** A state, or `gone` for a relative that was removed. */
  readonly state: string;
  readonly createdAt: string | null;
  readonly forkedAt: number | null;
  readonly reason: string | null;
  readonly children: readonly SessionId[];
  readonly current: boolean;
}

type FetchRelative = (id: SessionId) => Promise<Reply<LineageNode | null>>;

export async function traceLineage(
  own: LineageNode,
  relative: FetchRelative,
): Promise<Reply<readonly LineageEntry[]>> {
  const line: LineageEntry[] = [toEntry(own, true)];
  for (let node: LineageNode | null = own; node?.parent && line.length < LIMITS.lineage; ) {
    const { sessionId }: { sessionId: SessionId } = node.parent;
    const reply = await relative(sessionId);
    if (!reply.ok) return reply;
    node = reply.value;
    line.unshift(toEntry(node ?? { ...GONE, sessionId }, false));
  }
  for (let node: LineageNode | null = own; node !== null && line.length < LIMITS.lineage; ) {
    const newest: SessionId | undefined = node.children.at(-1);
    if (newest === undefined) break;
    const reply = await relative(newest);
    if (!reply.ok) return reply;
    node = reply.value;
    line.push(toEntry(node ?? { ...GONE, sessionId: newest }, false));
  }
  return { ok: true, value: line };
}

/** A removed relative is `gone`, and nothing else is known of it. */
const toEntry = (
  node: Omit<LineageNode, "state" | "createdAt"> & Pick<LineageEntry, "state" | "createdAt">,
  current: boolean,
): LineageEntry => ({
  sessionId: node.sessionId,
  title: node.title,
  state: node.state,
  createdAt: node.createdAt,
  forkedAt: node.parent?.seq ?? null,
  reason: node.parent?.reason ?? null,
  children: node.children,
  current,
});

const GONE = { title: null, state: "gone", createdAt: null, parent: null, children: [] } as const;
