/**
 * Leases: an exclusive right to a name in a session, for a while. A lease is part of its holder's
 * participant and is lost at its end, by a resume or by the end of the participant. Its number is
 * the seq of its `lease.taken`, so a later lease always has a larger one.
 */
import { invalid, tooLarge, type Failure } from "../failure";
import { participantId } from "../ids";
import { LIMITS } from "../limits";
import type { NewServerEvent } from "../log/event";
import type { Lease, Participant } from "../participants/participant";
import { ok, refuse, type Result } from "../result";
import type { Session } from "../session/session";

/** A lease as a request names it. It counts only for the participant that holds it. */
export interface LeaseRef {
  readonly name: string;
  readonly number: number;
}

export interface LeaseView extends LeaseRef {
  readonly expiresAt: string;
}

const LEASE_NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;

export const leaseNameProblem = (name: string): Failure | null =>
  LEASE_NAME.test(name)
    ? null
    : invalid(
        "the name of a lease has 1 to 64 letters, digits and the characters . _ : -, and begins with a letter or digit",
        "name",
      );

export const LEASE_REF_PATTERN = "^([A-Za-z0-9][A-Za-z0-9._:-]{0,63})=([1-9][0-9]{0,14})$";
const LEASE_REF = new RegExp(LEASE_REF_PATTERN);

/** Parses `<name>=<number>`, as in the header, in frames and in arguments of tools. */
export function parseLeaseRef(text: string, at: string): Result<LeaseRef> {
  const [, name, number] = LEASE_REF.exec(text.trim()) ?? [];
  return name === undefined
    ? refuse(invalid(`${at} must be the name and the number of a lease, as in worker=42`, at))
    : ok({ name, number: Number(number) });
}

export const viewLease = ({ name, number, expiresAt }: Lease): LeaseView => ({
  name,
  number,
  expiresAt: new Date(expiresAt).toISOString(),
});

/** A resume moves the fence past every lease that was taken before it. */
const isHeld = ({ fenceSeq }: Participant, { number, expiresAt }: Lease, now: number): boolean =>
  number > fenceSeq && now < expiresAt;

const heldBy = (participant: Participant, now: number): readonly Lease[] =>
  (participant.leases ?? []).filter((lease) => isHeld(participant, lease, now));

export interface HeldLease extends Lease {
  readonly holder: Participant;
}

type Holders = {
  readonly session: Pick<Session, "revoked">;
  readonly participants: readonly Participant[];
};

/** All leases of the session that are held now. */
export const heldLeases = ({ session, participants }: Holders, now: number): readonly HeldLease[] =>
  participants
    .filter(({ number }) => !session.revoked.includes(number))
    .filter(({ expiresAt }) => expiresAt === null || now < expiresAt)
    .flatMap((holder) => heldBy(holder, now).map((lease) => ({ ...lease, holder })));

/** Refuses a request that names a lease which its participant does not hold now. */
export function leaseProblem(
  participant: Participant,
  lease: LeaseRef | undefined,
  now: number,
): Failure | null {
  if (lease === undefined) return null;
  const isCurrent = heldBy(participant, now).some(
    ({ name, number }) => name === lease.name && number === lease.number,
  );
  return isCurrent ? null : leaseLost(lease);
}

export const leaseLost = ({ name, number }: LeaseRef, why?: "other_lease"): Failure => ({
  code: "lease_lost",
  name,
  number,
  ...(why === undefined ? {} : { why }),
});

interface LeaseRequest {
  readonly name: string;
  readonly ttlMs: number;
  /** The number of the lease that is renewed; null to take it. */
  readonly number: number | null;
}

type LeaseDecision =
  | { readonly kind: "renew"; readonly lease: Lease }
  | {
      readonly kind: "take";
      readonly event: NewServerEvent<"lease.taken">;
      readonly expiresAt: number;
    };

export function decideLease(
  { name, ttlMs, number }: LeaseRequest,
  participant: Participant,
  held: readonly HeldLease[],
  now: number,
): Result<LeaseDecision> {
  const current = held.find((lease) => lease.name === name);
  const expiresAt = now + ttlMs;
  if (current !== undefined) {
    const isOwn = current.holder.number === participant.number && current.number === number;
    if (isOwn) return ok({ kind: "renew", lease: { name, number: current.number, expiresAt } });
    const { holder } = current;
    return refuse({
      code: "lease_held",
      name,
      holder: { participant: participantId(holder.number), actor: holder.actor },
      retryAfterMs: current.expiresAt - now,
    });
  }
  // A renewal that comes too late must not look like one: others may have worked in between.
  if (number !== null) return refuse(leaseLost({ name, number }));
  if (held.length >= LIMITS.leases)
    return refuse(tooLarge("the number of leases", LIMITS.leases, held.length));
  const payload = { name, expiresAt: new Date(expiresAt).toISOString() };
  return ok({ kind: "take", event: { type: "lease.taken", payload }, expiresAt });
}

/** The participants, one of which holds this lease. Leases that were lost leave the row. */
export const withLease = (
  participants: readonly Participant[],
  holder: number,
  lease: Lease,
  now: number,
): readonly Participant[] =>
  participants.map((one) => {
    const others = heldBy(one, now).filter(({ name }) => name !== lease.name);
    return withLeases(one, one.number === holder ? [...others, lease] : others);
  });

export const withoutLease = (
  participants: readonly Participant[],
  { name }: LeaseRef,
  now: number,
): readonly Participant[] =>
  participants.map((one) =>
    withLeases(
      one,
      heldBy(one, now).filter((lease) => lease.name !== name),
    ),
  );

function withLeases(participant: Participant, leases: readonly Lease[]): Participant {
  if (leases.length > 0) return { ...participant, leases };
  if (participant.leases === undefined) return participant;
  const { leases: _, ...rest } = participant;
  return rest;
}
