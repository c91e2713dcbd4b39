/**
 * Opens sessions by an owner's key: by id, or by externalId. By externalId, the slots of that name are
 * tried in order: a purged session keeps its slot, an ended one keeps it until a fresh one follows. No
 * lock is needed: of concurrent requests that create in one slot, one succeeds and the others open its
 * session.
 */
import type { KeyCredential, OpenInput } from "../domain/owners/open-by-key";
import type { Failure } from "../domain/failure";
import { sessionIdFromHex } from "../domain/ids";
import { resolveBind } from "./bind";
import { SessionCreator, type CreateSessionInput } from "./session-creator";
import { resolveLocation } from "./locations";
import { keyCredentialOf, type Holder } from "./owner-keys";
import { withTrace, type AsyncReply } from "./session-calls";
import { generateSecret, hashExternalId, hashSecret } from "./secrets";
import { SerializedSession } from "./serialized-session";
import { formatToken } from "./token";
import type { CreateAnswer } from "./write-answer";

export interface OpenNamedInput {
  readonly externalId: string;
  /** The arguments to create the session if there is none; null: then nothing is opened. */
  readonly create: Omit<CreateSessionInput, "externalId"> | null;
  /** Create a new session if the existing one has ended. */
  readonly isFresh: boolean;
  readonly open: OpenInput;
}

interface OpenNamedAnswer extends CreateAnswer {
  readonly outcome: "opened" | "created" | "fresh";
  readonly warning?: {
    readonly code: "expired";
    readonly requested: string;
    readonly reason: string;
  };
}

interface EndedSession {
  readonly failure: Failure;
  readonly objectIdHex: string;
}

export class SessionOpener extends SessionCreator {
  protected async openAt(
    id: DurableObjectId,
    key: KeyCredential,
    input: OpenInput,
    isByName: boolean,
  ): AsyncReply<CreateAnswer> {
    const bound = resolveBind(undefined, "self", this.caller, this.caller.settings);
    if (!bound.ok) return { ok: false, failure: bound.error };
    const secret = generateSecret();
    const { telemetry } = this.caller;
    const token = hashSecret(secret);
    const request = { kind: "openByKey", key, input, token, isByName, bound: bound.value } as const;
    const reply = await this.calls.objects.write(id, withTrace(request, telemetry));
    if (!reply.ok) return reply;
    const { session, participant, issuedSeq, objectIdHex } = reply.value;
    if (telemetry !== null) telemetry.sessionId = session.id;
    const resumeToken = formatToken({ objectIdHex, participant, issuedSeq, secret });
    return {
      ok: true,
      value: { session: new SerializedSession(session), resumeToken, replayed: false },
    };
  }

  async openNamed(holder: Holder, request: OpenNamedInput): AsyncReply<OpenNamedAnswer> {
    const { externalId, create, isFresh, open } = request;
    const owner = holder.owner.name;
    const hint = await this.calls.objects.ownerDirectory(owner, "nthOf", externalId);
    const { objects } = this.calls;
    const resolved = resolveLocation(objects, this.caller.settings, {}, holder.owner, true);
    if (!resolved.ok) return { ok: false, failure: resolved.error };
    let ended: EndedSession | null = null;
    for (let nth = hint.ok ? hint.value : 0; ; ) {
      const name = hashExternalId(owner, externalId, nth);
      const id = objects.sessionNamed(name, resolved.value?.jurisdiction);
      const opened = await this.openAt(id, keyCredentialOf(holder), open, true);
      if (opened.ok) return { ok: true, value: { ...opened.value, outcome: "opened" } };
      const { failure } = opened;
      if (failure.code === "expired") ended = { failure, objectIdHex: id.toString() };
      if (failure.code === "expired" || failure.code === "gone") {
        nth += 1;
        continue;
      }
      if (failure.code !== "not_found") return opened;
      // The slot is empty: no later slot is in use.
      if (ended === null ? create === null : !isFresh) {
        if (ended === null) return opened;
        // The holder of the owner's key may know the session's id, and read it.
        const sessionId = sessionIdFromHex(ended.objectIdHex);
        return { ok: false, failure: ended.failure, sessionId };
      }
      const created = await this.createInSlot(create ?? {}, { owner, externalId, nth });
      if (created.ok) return { ok: true, value: { ...created.value, ...creationOutcome(ended) } };
      // Another request was faster: open the session that it created.
      if (created.failure.code !== "external_id_taken") return created;
    }
  }
}

const creationOutcome = (
  ended: EndedSession | null,
): Pick<OpenNamedAnswer, "outcome" | "warning"> =>
  ended === null
    ? { outcome: "created" }
    : {
        outcome: "fresh",
        warning: {
          code: "expired",
          requested: sessionIdFromHex(ended.objectIdHex),
          reason:
            "The session with this externalId has ended. A new one was created; it contains nothing of the old one.",
        },
      };
