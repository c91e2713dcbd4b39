/** A session in the JSON text that its object wrote. It is parsed only if its members are needed. */
import type { SessionId } from "../domain/ids";
import type { SessionText, SessionView } from "../domain/session/view";

export class SerializedSession implements SessionText {
  readonly id: SessionId;
  readonly version: number;
  readonly head: number;
  readonly json: string;
  #view: SessionView | null = null;

  constructor({ id, version, head, json }: SessionText) {
    this.id = id;
    this.version = version;
    this.head = head;
    this.json = json;
  }

  get view(): SessionView {
    return (this.#view ??= JSON.parse(this.json) as SessionView);
  }

  /** Inside another JSON text it is the session, not this wrapper. */
  toJSON(): SessionView {
    return this.view;
  }
}
