/**
 * That a session is marked as gone: from this commit on nobody is admitted, so nothing new comes while
 * it is emptied. Whatever takes time to empty asks for it, and only the commit makes one.
 */
import { hexOf, type SessionContext } from "./session-context";

export class PurgeMark {
  readonly objectIdHex: string;

  private constructor(objectIdHex: string) {
    this.objectIdHex = objectIdHex;
  }

  static commit(context: SessionContext): PurgeMark {
    const { store } = context;
    const news = store.outbox();
    if (news.isPurging !== true) {
      store.transaction(() => store.saveOutbox({ ...news, isPurging: true }, false));
    }
    return new PurgeMark(hexOf(context));
  }
}
