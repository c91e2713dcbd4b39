/**
 * Who acts. The kind is fixed by how the participant was made and is never taken from a request:
 * `human` only by redeeming a link, `system` only the server. Id and name are what the holder says.
 */
type ActorKind = "agent" | "human" | "system";

export interface Actor {
  readonly kind: ActorKind;
  readonly id: string;
  readonly name?: string;
}

/** What a client may declare of itself. */
export interface ActorClaim {
  readonly id: string;
  readonly name?: string | undefined;
}

export const SYSTEM: Actor = { kind: "system", id: "baton" };

export const actorFromClaim = (kind: ActorKind, claim: ActorClaim): Actor => ({
  kind,
  id: claim.id,
  ...(claim.name === undefined ? {} : { name: claim.name }),
});
