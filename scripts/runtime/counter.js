/**
 * Rate limits of a server of one's own, with the interface of Cloudflare's binding: so many of a key in
 * each period. Kept in memory, because the runtime is one process; a restart begins at zero.
 */
import { WorkerEntrypoint } from "cloudflare:workers";

/** @type {Map<string, {epoch: number, counts: Map<string, number>}>} */
const windows = new Map();

/** So that callers with many addresses cannot fill the memory: what is beyond is not counted. */
const MOST_KEYS = 100_000;

export class Counter extends WorkerEntrypoint {
  /** @param {{key: string}} asked */
  limit({ key }) {
    const { name, limit, period } = this.ctx.props;
    const epoch = Math.floor(Date.now() / (period * 1000));
    let window = windows.get(name);
    if (window?.epoch !== epoch) {
      window = { epoch, counts: new Map() };
      windows.set(name, window);
    }
    const count = window.counts.get(key) ?? 0;
    if (count >= limit) return { success: false };
    if (count > 0 || window.counts.size < MOST_KEYS) window.counts.set(key, count + 1);
    return { success: true };
  }
}

export default {};
