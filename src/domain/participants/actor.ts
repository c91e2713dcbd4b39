/**
 * Who acts. The kind depends on how the participant was created and never comes from a request:
 * `human` only by opening a link, `system` only for the server, `owner` only by an owner's key,
 * with the names of the owner and the key. Other ids and names are the client's own claims.
 */
type ActorKind = "agent" | "human" | "system" | "owner";

/**
 * Who acts. The server sets the kind. The id and the name are claims of the actor, except for an
 * owner.
 */
export interface Actor {
  /** How the participant was created: an agent by a token, a human by a link, an owner by a key. */
  readonly kind: ActorKind;
  /** Its id. */
  readonly id: string;
  /** Its name, if it gave one. */
  readonly name?: string;
}

/** What a client may claim about itself. */
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
