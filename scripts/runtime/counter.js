/**
 * Rate limits of a self-hosted server, with the interface of Cloudflare's binding: a limit per key and
 * period. The counts are in memory, because the runtime is one process. A restart resets them.
 */
import { WorkerEntrypoint } from "cloudflare:workers";

/** @type {Map<string, {epoch: number, counts: Map<string, number>}>} */
const windows = new Map();

/** A cap on memory: keys beyond this number are not counted. */
const MAX_KEYS = 100_000;

export class Counter extends WorkerEntrypoint {
  /** @param {{key: string}} options */
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
    if (count > 0 || window.counts.size < MAX_KEYS) window.counts.set(key, count + 1);
    return { success: true };
  }
}

export default {};
