/**
 * Proof that a session is marked as purged: from this commit on no caller is admitted, so nothing
 * new arrives while its storage is emptied. Functions that take time to delete something require
 * it, and only the commit creates one.
 */
import { hexOf, type SessionContext } from "./session-context";

export class PurgeMark {
  readonly objectIdHex: string;

  private constructor(objectIdHex: string) {
    this.objectIdHex = objectIdHex;
  }

  static commit(context: SessionContext): PurgeMark {
    const { store } = context;
    const outbox = store.outbox();
    if (outbox.isPurging !== true) {
      store.transaction(() => store.saveOutbox({ ...outbox, isPurging: true }, false));
    }
    return new PurgeMark(hexOf(context));
  }
}
