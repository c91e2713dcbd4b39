/**
 * That a session is marked as gone: from this commit on nobody is admitted, so nothing new comes while
 * it is emptied. Whatever takes time to empty asks for it, and only the commit makes one.
 */
import { hexOf, type Room } from "./room";

export class Purging {
  readonly objectIdHex: string;

  private constructor(objectIdHex: string) {
    this.objectIdHex = objectIdHex;
  }

  static commit(room: Room): Purging {
    const { store } = room;
    const news = store.news();
    if (news.isPurging !== true) {
      store.transaction(() => store.keepNews({ ...news, isPurging: true }, false));
    }
    return new Purging(hexOf(room));
  }
}
