/** What the key of an owner opens: the list of that owner's sessions, and what changes in it. */
import { objectIdHexOf } from "../domain/ids";
import type { OpenWish } from "../domain/owners/open";
import type { Right } from "../domain/owners/owners";
import type { Result } from "../domain/result";
import type { ChangePage, ListQuery } from "../object/directory-messages";
import type { Reply } from "../object/messages";
import { Bell } from "./bell";
import { Openings } from "./openings";
import { admitKey, credentialOf, type Holder } from "./owner-keys";
import type { Presented, Answered } from "./session-calls";
import { Templates } from "./templates";
import type { CreateAnswer } from "./write-answer";

export type {
  DirectoryChange,
  ListedView,
  ListPage,
  ListQuery,
  Overview,
  Waits,
} from "../object/directory-messages";

export class OwnerGateway extends Openings {
  readonly templates = new Templates(this.calls.objects);

  /** The holder of the key that the request carries, if it has the right. */
  admit(right: Right): Promise<Result<Holder>> {
    return admitKey(this.caller, this.caller.ownerKey, this.calls.guard, right);
  }

  async open(holder: Holder, ref: string, wish: OpenWish): Answered<CreateAnswer> {
    const id = this.calls.objects.sessionAt(objectIdHexOf(ref) ?? "");
    if (id === null) {
      const unknown = { code: "token_invalid", what: "session" } as const;
      return { ok: false, failure: await this.calls.guard.wrong(ref, unknown) };
    }
    return this.openAt(id, credentialOf(holder), wish, false);
  }

  list({ owner }: Holder, query: ListQuery) {
    return this.calls.objects.ownerDirectory(owner.name, "list", query);
  }

  overview({ owner }: Holder, times: readonly number[], longest: number) {
    return this.calls.objects.ownerDirectory(owner.name, "overview", times, longest);
  }

  /** As the directory lists it; null where it does not, or not yet. */
  row({ owner }: Holder, { objectIdHex }: Presented) {
    return this.calls.objects.ownerDirectory(owner.name, "row", objectIdHex);
  }

  /** The session of this id, as the key opens it. */
  presentedBy(holder: Holder, ref: string): Promise<Result<Presented>> {
    return this.calls.presentedBy(holder, ref);
  }

  async changes({ owner }: Holder, after: number, limit: number): Promise<Reply<ChangePage>> {
    const page = await this.calls.objects.ownerDirectory(owner.name, "changes", after, limit);
    if (!page.ok) return page;
    const { floor } = page.value;
    return after < floor ? { ok: false, failure: { code: "replay_gap", changes: floor } } : page;
  }

  /** Rings when something changed. Opened before reading, so that nothing falls between. */
  async bell({ owner }: Holder): Promise<Reply<Bell>> {
    const socket = await this.calls.objects.awaitChanges(owner.name);
    return socket.ok ? { ok: true, value: new Bell(socket.value) } : socket;
  }

  /** Does the key still open what it opened when the stream began? */
  isStillHeld(holder: Holder): boolean {
    return holder.key.expiresAt === null || Date.now() < holder.key.expiresAt;
  }
}
