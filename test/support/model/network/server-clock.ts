/**
 * What the server's clock may have shown. The driver sets its offset, and a killed server starts with
 * none; while a change is under way both may be true.
 */
interface Segment {
  readonly from: number;
  to: number;
  readonly offset: number;
}

export class ServerClock {
  /** When it was set to an earlier time than before. */
  readonly setBack: number[] = [];
  #segments: Segment[] = [{ from: 0, to: Number.POSITIVE_INFINITY, offset: 0 }];

  /** Runs what changes the offset. If that fails, the old one and the new one are both possible from now on. */
  async change(offset: number, apply: () => Promise<unknown>): Promise<void> {
    const open = this.#segments.filter(({ to }) => to === Number.POSITIVE_INFINITY);
    if (open.some((segment) => segment.offset > offset)) this.setBack.push(Date.now());
    this.#segments.push({ from: Date.now(), to: Number.POSITIVE_INFINITY, offset });
    await apply();
    const now = Date.now();
    for (const segment of open) segment.to = now;
    // What no open request can have seen any more is of no use.
    this.#segments = this.#segments.filter(({ to }) => to > now - 600_000);
  }

  /** The least and the most it can have shown from one moment of ours to another. */
  range(invoked: number, responded: number): readonly [number, number] {
    const offsets = this.#segments
      .filter(({ from, to }) => from <= responded && to >= invoked)
      .map(({ offset }) => offset);
    return [invoked + Math.min(...offsets), responded + Math.max(...offsets)];
  }
}
