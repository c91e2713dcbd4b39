/**
 * Creates sessions: checks who may create one, who owns it, and which object it is in. With an
 * externalId the object follows from that name, so that no two sessions can share it. A purged session
 * keeps its slot, and the next slot is tried.
 */
import { invalid, type Failure } from "../domain/failure";
import { LIMITS } from "../domain/limits";
import { externalIdProblem, type Ownership, type SourceTemplate } from "../domain/owners/ownership";
import type { CreateArguments } from "../domain/session/command";
import { firstLocation } from "../domain/session/location";
import type { RequestedLocation, Jurisdiction, Location } from "../domain/session/location";
import { omitUndefined, refuse, type Result } from "../domain/result";
import type { CreatedSession, Reply } from "../object/messages";
import { secretsOf } from "./answer-secrets";
import { resolveBind } from "./bind";
import { resolveLocation } from "./locations";
import { admitCreator, recordCreator, reportRefusedKey, type Creator } from "./owner-keys";
import { isLoopback } from "./public-url";
import { withTrace, UseCases, type AsyncReply } from "./session-calls";
import { requestQuotaPermit } from "./quota-permit";
import {
  generateSecret,
  hashCreateKey,
  hashExternalId,
  hashRequest,
  hashSecret,
  seal,
} from "./secrets";
import { SerializedSession } from "./serialized-session";
import { Templates } from "./templates";
import { formatToken } from "./token";
import type { CreateAnswer } from "./write-answer";

/** The arguments of the session's object, and those that are resolved before it is called. */
export type CreateSessionInput = CreateArguments &
  RequestedLocation & {
    readonly externalId?: string | undefined;
    readonly template?: string | undefined;
  };

/** The arguments after the template was applied, or why the session cannot be created. */
interface PreparedSession {
  readonly args: CreateArguments;
  readonly template?: SourceTemplate;
  readonly location: Location | null;
  readonly problem?: Failure;
}

type CreateCall = (
  id: DurableObjectId,
  ownership: Ownership | null,
) => Promise<Reply<CreatedSession>>;

export class SessionCreator extends UseCases {
  #creator: Promise<Result<Creator>> | undefined;

  /** Whether the caller may create sessions, and who owns them. */
  async creator(): Promise<Result<Creator>> {
    this.#creator ??= this.admitCreator(this.caller.ownerKey);
    return this.#creator;
  }

  protected async admitCreator(key: string | null): Promise<Result<Creator>> {
    const admitted = admitCreator(this.env, key, Date.now());
    if (!admitted.ok) {
      return refuse(
        await reportRefusedKey(this.caller, key, this.calls.rateLimiter, admitted.error),
      );
    }
    // Any website can reach a server on its visitor's machine: its pages need a key.
    const isKeyless = admitted.value.holder === null;
    if (isKeyless && isLoopback(this.env) && this.caller.isFromRemotePage) {
      return refuse({ code: "credential_missing", what: "key" });
    }
    recordCreator(this.caller, admitted.value);
    return admitted;
  }

  async create(
    { externalId, ...args }: CreateSessionInput,
    key: string | null,
  ): AsyncReply<CreateAnswer> {
    if (key !== null && key.length < LIMITS.createKeyMinLength) {
      const detail = `To create a session, the Idempotency-Key must have at least ${LIMITS.createKeyMinLength} random characters: it finds the session, so it must be hard to guess`;
      return { ok: false, failure: invalid(detail, "Idempotency-Key") };
    }
    const creator = await this.creator();
    if (!creator.ok) return { ok: false, failure: creator.error };
    const { owner, holder } = creator.value;
    // The owner decides where the session is listed; only a key may use the owner's names.
    const nameProblem = externalIdProblem(externalId, holder === null ? null : owner);
    if (nameProblem !== null) return { ok: false, failure: nameProblem };
    const prepared = await this.#prepare(args, creator.value, externalId !== undefined);
    // A session that the same request created earlier is still found, even if its template is gone now.
    if (prepared.problem !== undefined && key === null) {
      return { ok: false, failure: prepared.problem };
    }
    const jurisdiction = prepared.location?.jurisdiction;
    const identity = externalId === undefined ? args : { ...args, externalId };
    const { objects } = this.calls;
    return this.#createWith(prepared, identity, key, (createCall) => {
      if (owner !== null && externalId !== undefined) {
        return this.#createInFreeSlot({ owner, externalId }, jurisdiction, createCall);
      }
      const id =
        key === null
          ? objects.newSession(jurisdiction)
          : objects.sessionNamed(hashCreateKey(key, owner), jurisdiction);
      return createCall(id, owner === null ? null : { owner });
    });
  }

  /** In exactly this slot of a name. The key must have the right to create sessions. */
  async createInSlot(
    input: CreateSessionInput,
    slot: Required<Pick<Ownership, "owner" | "externalId" | "nth">>,
  ): AsyncReply<CreateAnswer> {
    const creator = await this.creator();
    if (!creator.ok) return { ok: false, failure: creator.error };
    const { owner, externalId, nth } = slot;
    const prepared = await this.#prepare(input, creator.value, true);
    if (prepared.problem !== undefined) return { ok: false, failure: prepared.problem };
    const name = hashExternalId(owner, externalId, nth);
    const id = this.calls.objects.sessionNamed(name, prepared.location?.jurisdiction);
    return this.#createWith(prepared, input, null, (createCall) => createCall(id, slot));
  }

  async #prepare(
    { template, jurisdiction, locationHint, ...args }: Omit<CreateSessionInput, "externalId">,
    { holder }: Creator,
    isNamed: boolean,
  ): Promise<PreparedSession> {
    const { objects } = this.calls;
    const applied =
      template === undefined ? null : await new Templates(objects).apply(holder, template, args);
    const fromTemplate = applied?.ok === true ? applied.value : null;
    const requested = firstLocation({ jurisdiction, locationHint }, fromTemplate?.location) ?? {};
    const located = resolveLocation(objects, this.env, requested, holder?.owner ?? null, isNamed);
    const prepared = { args, ...fromTemplate, location: located.ok ? located.value : null };
    if (applied?.ok === false) return { ...prepared, problem: applied.error };
    return located.ok || fromTemplate?.problem !== undefined
      ? prepared
      : { ...prepared, problem: located.error };
  }

  async #createWith(
    { args, template, location, problem }: PreparedSession,
    identity: object,
    key: string | null,
    chooseObject: (createCall: CreateCall) => Promise<Reply<CreatedSession>>,
  ): AsyncReply<CreateAnswer> {
    const creator = await this.creator();
    if (!creator.ok) return { ok: false, failure: creator.error };
    const { holder } = creator.value;
    const bound = resolveBind(args.bind, "self", this.caller, this.env);
    if (!bound.ok) return { ok: false, failure: bound.error };
    const identified = await this.caller.identity();
    if (!identified.ok) return { ok: false, failure: identified.error };
    if (args.review?.identity === true && !this.env.OIDC) return NO_PROVIDER;
    const limited = await this.calls.rateLimiter.count("create");
    if (limited !== null) return { ok: false, failure: limited };
    const secret = generateSecret();
    const material = key === null ? null : new TextEncoder().encode(key);
    const message = {
      args,
      token: hashSecret(secret),
      request: key === null ? null : hashRequest("create", identity, null, key),
      sealed: material === null ? null : await seal(material, [secret]),
      from: this.caller.origin(),
      bound: bound.value.binding,
      ...(identified.value === null ? {} : { identity: identified.value }),
      ...(problem === undefined ? {} : { problem }),
    };
    const created = await chooseObject(async (id, ownership) => {
      const permit = await requestQuotaPermit(
        this.calls.objects,
        this.env,
        id,
        ownership?.owner ?? null,
      );
      if (!permit.ok) return { ok: false, failure: permit.error };
      const belongs = ownership && {
        ...ownership,
        ...omitUndefined({ template, key: holder?.key.name }),
      };
      const command = { kind: "create", ...message, ...permit.value, belongs, location } as const;
      const traced = withTrace(command, this.caller.telemetry);
      return this.calls.objects.write(id, traced, location?.locationHint);
    });
    return this.#answer(created, material, secret);
  }

  async #answer(
    reply: Reply<CreatedSession>,
    material: Uint8Array | null,
    secret: Uint8Array,
  ): AsyncReply<CreateAnswer> {
    if (!reply.ok) return reply;
    const { session, participant, issuedSeq, replayed, objectIdHex } = reply.value;
    const { telemetry } = this.caller;
    if (telemetry !== null) telemetry.sessionId = session.id;
    const [first] = await secretsOf(reply.value, material, [secret]);
    const resumeToken = formatToken({ objectIdHex, participant, issuedSeq, secret: first });
    return { ok: true, value: { session: new SerializedSession(session), resumeToken, replayed } };
  }

  /**
   * Starts at the first slot. If a purged session holds it, continues at the last purged slot that the
   * directory knows: the request that created that one may arrive again late.
   */
  async #createInFreeSlot(
    named: Ownership & { readonly externalId: string },
    jurisdiction: Jurisdiction | undefined,
    createCall: CreateCall,
  ): Promise<Reply<CreatedSession>> {
    const { objects } = this.calls;
    for (let nth = 0; ; ) {
      const name = hashExternalId(named.owner, named.externalId, nth);
      const id = objects.sessionNamed(name, jurisdiction);
      const reply = await createCall(id, { ...named, nth });
      if (reply.ok || !isPurged(reply.failure)) return reply;
      nth = nth > 0 ? nth + 1 : Math.max(1, (await this.#slotHint(named)) - 1);
    }
  }

  /** Only skips slots that are known to be taken: without the hint, each is tried. */
  async #slotHint({ owner, externalId = "" }: Ownership): Promise<number> {
    const hint = await this.calls.objects.ownerDirectory(owner, "nthOf", externalId);
    return hint.ok ? hint.value : 1;
  }
}

const isPurged = (failure: Failure): boolean =>
  failure.code === "external_id_taken" && failure.isPurged === true;

const NO_PROVIDER = {
  ok: false,
  failure: {
    code: "not_configured",
    setting: "OIDC",
    detail: "OIDC is not set, so reviewers cannot be identified.",
  },
} as const;
