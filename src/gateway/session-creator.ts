/**
 * Beginning a session: who may, whose it is, and the object it begins in. With a name of its owner's
 * own the object follows from that name, so that no two sessions can have it: a purged one leaves its
 * place taken, and the next place is tried.
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

/** What is asked for, with what the session's object does not take as an argument. */
export type CreateSessionInput = CreateArguments &
  RequestedLocation & {
    readonly externalId?: string | undefined;
    readonly template?: string | undefined;
  };

/** What a session begins with once its template is applied, or why it cannot. */
interface PreparedSession {
  readonly args: CreateArguments;
  readonly template?: SourceTemplate;
  readonly location: Location | null;
  readonly problem?: Failure;
}

type CreateCall = (
  id: DurableObjectId,
  belongs: Ownership | null,
) => Promise<Reply<CreatedSession>>;

export class SessionCreator extends UseCases {
  #creator: Promise<Result<Creator>> | undefined;

  /** May the caller begin sessions, and whose are they? */
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
    // Whose session it is says where it is listed; only a key may use the owner's names.
    const unnamed = externalIdProblem(externalId, holder === null ? null : owner);
    if (unnamed !== null) return { ok: false, failure: unnamed };
    const beginning = await this.#prepare(args, creator.value, externalId !== undefined);
    // What the same request has begun before is found, although its template is gone now.
    if (beginning.problem !== undefined && key === null) {
      return { ok: false, failure: beginning.problem };
    }
    const jurisdiction = beginning.location?.jurisdiction;
    const identity = externalId === undefined ? args : { ...args, externalId };
    const { objects } = this.calls;
    return this.#createWith(beginning, identity, key, (ask) => {
      if (owner !== null && externalId !== undefined) {
        return this.#createInFreeSlot({ owner, externalId }, jurisdiction, ask);
      }
      const id =
        key === null
          ? objects.newSession(jurisdiction)
          : objects.sessionNamed(hashCreateKey(key, owner), jurisdiction);
      return ask(id, owner === null ? null : { owner });
    });
  }

  /** At one place of a name, and nowhere else. The key must be one that may begin sessions. */
  async createInSlot(
    asked: CreateSessionInput,
    place: Required<Pick<Ownership, "owner" | "externalId" | "nth">>,
  ): AsyncReply<CreateAnswer> {
    const creator = await this.creator();
    if (!creator.ok) return { ok: false, failure: creator.error };
    const { owner, externalId, nth } = place;
    const beginning = await this.#prepare(asked, creator.value, true);
    if (beginning.problem !== undefined) return { ok: false, failure: beginning.problem };
    const name = hashExternalId(owner, externalId, nth);
    const id = this.calls.objects.sessionNamed(name, beginning.location?.jurisdiction);
    return this.#createWith(beginning, asked, null, (ask) => ask(id, place));
  }

  async #prepare(
    { template, jurisdiction, locationHint, ...args }: Omit<CreateSessionInput, "externalId">,
    { holder }: Creator,
    isNamed: boolean,
  ): Promise<PreparedSession> {
    const { objects } = this.calls;
    const applied =
      template === undefined ? null : await new Templates(objects).apply(holder, template, args);
    const of = applied?.ok === true ? applied.value : null;
    const asked = firstLocation({ jurisdiction, locationHint }, of?.location) ?? {};
    const located = resolveLocation(objects, this.env, asked, holder?.owner ?? null, isNamed);
    const begun = { args, ...of, location: located.ok ? located.value : null };
    if (applied?.ok === false) return { ...begun, problem: applied.error };
    return located.ok || of?.problem !== undefined ? begun : { ...begun, problem: located.error };
  }

  async #createWith(
    { args, template, location, problem }: PreparedSession,
    identity: object,
    key: string | null,
    place: (ask: CreateCall) => Promise<Reply<CreatedSession>>,
  ): AsyncReply<CreateAnswer> {
    const creator = await this.creator();
    if (!creator.ok) return { ok: false, failure: creator.error };
    const { holder } = creator.value;
    const bound = resolveBind(args.bind, "self", this.caller, this.env);
    if (!bound.ok) return { ok: false, failure: bound.error };
    const who = await this.caller.identity();
    if (!who.ok) return { ok: false, failure: who.error };
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
      ...(who.value === null ? {} : { identity: who.value }),
      ...(problem === undefined ? {} : { problem }),
    };
    const begun = await place(async (id, owned) => {
      const vacancy = await requestQuotaPermit(
        this.calls.objects,
        this.env,
        id,
        owned?.owner ?? null,
      );
      if (!vacancy.ok) return { ok: false, failure: vacancy.error };
      const belongs = owned && { ...owned, ...omitUndefined({ template, key: holder?.key.name }) };
      const command = { kind: "create", ...message, ...vacancy.value, belongs, location } as const;
      const asked = withTrace(command, this.caller.telemetry);
      return this.calls.objects.write(id, asked, location?.locationHint);
    });
    return this.#answer(begun, material, secret);
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
   * From the first place on, and where that is taken by a purged one, from the last purged one on that
   * the directory knows: that is the one whose request may come again late.
   */
  async #createInFreeSlot(
    named: Ownership & { readonly externalId: string },
    jurisdiction: Jurisdiction | undefined,
    ask: CreateCall,
  ): Promise<Reply<CreatedSession>> {
    const { objects } = this.calls;
    for (let nth = 0; ; ) {
      const name = hashExternalId(named.owner, named.externalId, nth);
      const id = objects.sessionNamed(name, jurisdiction);
      const reply = await ask(id, { ...named, nth });
      if (reply.ok || !isPurged(reply.failure)) return reply;
      nth = nth > 0 ? nth + 1 : Math.max(1, (await this.#slotHint(named)) - 1);
    }
  }

  /** Only to skip places that are known to be taken: without it each is tried. */
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
    why: "OIDC is not set, so reviewers cannot be identified.",
  },
} as const;
