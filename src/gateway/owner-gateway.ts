/** The use cases of an owner's key: list the owner's sessions, follow their changes, and open them. */
import { objectIdHexOf } from "../domain/ids";
import type { OpenInput } from "../domain/owners/open-by-key";
import type { Right } from "../domain/owners/owners";
import type { Result } from "../domain/result";
import type { ChangePage, ListQuery } from "../object/directory-messages";
import type { Reply } from "../object/messages";
import { WakeSignal } from "./wake-signal";
import { SessionOpener } from "./session-opener";
import { admitKey, keyCredentialOf, type Holder } from "./owner-keys";
import type { UnverifiedCredential, AsyncReply } from "./session-calls";
import { Templates } from "./templates";
import type { CreateAnswer } from "./write-answer";

export type {
  DirectoryChange,
  ListedView,
  ListPage,
  ListQuery,
  Overview,
  WaitSummary,
} from "../object/directory-messages";

export class OwnerGateway extends SessionOpener {
  readonly templates = new Templates(this.calls.objects);

  /** The holder of the request's key, if the key has the right. */
  admit(right: Right): Promise<Result<Holder>> {
    return admitKey(this.caller, this.caller.ownerKey, this.calls.rateLimiter, right);
  }

  async open(holder: Holder, ref: string, input: OpenInput): AsyncReply<CreateAnswer> {
    const id = this.calls.objects.sessionAt(objectIdHexOf(ref) ?? "");
    if (id === null) {
      const unknown = { code: "token_invalid", what: "session" } as const;
      return { ok: false, failure: await this.calls.rateLimiter.countInvalid(ref, unknown) };
    }
    return this.openAt(id, keyCredentialOf(holder), input, false);
  }

  list({ owner }: Holder, query: ListQuery) {
    return this.calls.objects.ownerDirectory(owner.name, "list", query);
  }

  overview({ owner }: Holder, times: readonly number[], longest: number) {
    return this.calls.objects.ownerDirectory(owner.name, "overview", times, longest);
  }

  /** The session's row in the directory; null if it is not listed, or not yet. */
  row({ owner }: Holder, { objectIdHex }: UnverifiedCredential) {
    return this.calls.objects.ownerDirectory(owner.name, "row", objectIdHex);
  }

  /** A credential for the session of this id, by the key. */
  credentialFromKey(holder: Holder, ref: string): Promise<Result<UnverifiedCredential>> {
    return this.calls.credentialFromKey(holder, ref);
  }

  async changes({ owner }: Holder, after: number, limit: number): Promise<Reply<ChangePage>> {
    const page = await this.calls.objects.ownerDirectory(owner.name, "changes", after, limit);
    if (!page.ok) return page;
    const { floor } = page.value;
    return after < floor ? { ok: false, failure: { code: "replay_gap", changes: floor } } : page;
  }

  /** Signals changes. Open it before reading, so that no change is missed. */
  async changeSignal({ owner }: Holder): Promise<Reply<WakeSignal>> {
    const socket = await this.calls.objects.listenForChanges(owner.name);
    return socket.ok ? { ok: true, value: new WakeSignal(socket.value) } : socket;
  }

  /** Has the key not expired since the stream started? */
  isKeyValid(holder: Holder): boolean {
    return holder.key.expiresAt === null || Date.now() < holder.key.expiresAt;
  }
}
