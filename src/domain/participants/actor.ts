/**
 * Who acts. The kind is fixed by how the participant was made and is never taken from a request:
 * `human` only by redeeming a link, `system` only the server, `owner` only by an owner's key, whose
 * owner and name it then says. Other ids and names are what the holder says.
 */
type ActorKind = "agent" | "human" | "system" | "owner";

/** Who acts. The kind is the server's word; id and name are what the actor says of itself. */
export interface Actor {
  /** How the participant was made: an agent by a token, a human by a link, an owner by a key. */
  readonly kind: ActorKind;
  /** Its id. */
  readonly id: string;
  /** Its name, where it gave one. */
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
