/** From what is asked for, and what the deployment demands, to what a participant is bound to. */
import type { Binding, BindInput, BoundTo, ResolvedBinding } from "../domain/participants/binding";
import { invalid } from "../domain/failure";
import { ok, refuse, type Result } from "../domain/result";
import type { Env } from "../env";
import type { Caller } from "./caller";
import { hashProxiedPrincipal } from "./secrets";

/** Whom the participant is made for: whoever asks, another agent, or whoever opens a link. */
type BindSubject = "self" | "agent" | "human";

export function resolveBind(
  wish: BindInput | undefined,
  whom: BindSubject,
  caller: Caller,
  env: Pick<Env, "REQUIRE_BIND">,
): Result<ResolvedBinding> {
  const demanded = requiredKindsIn(env);
  const network = networkFor(wish?.network, whom, caller, demanded.has("network"));
  if (!network.ok) return network;
  const principal = principalFor(wish?.principal, whom, caller, demanded.has("principal"));
  if (!principal.ok) return principal;
  if (network.value === null && principal.value === null) return ok(resolved(null));
  return ok(
    resolved({
      ...(network.value === null ? {} : { network: network.value }),
      ...(principal.value === null ? {} : { principal: hashProxiedPrincipal(principal.value) }),
    }),
  );
}

/** The mark is one of types alone: it goes to the object as plain data. */
const resolved = (binding: Binding | null): ResolvedBinding => ({ binding }) as ResolvedBinding;

function networkFor(
  wished: BindInput["network"],
  whom: BindSubject,
  caller: Caller,
  isDemanded: boolean,
): Result<string | null> {
  if (typeof wished === "string") return ok(wished);
  if (wished === undefined && !isDemanded) return ok(null);
  if (whom === "human") {
    const detail =
      "it is not known yet where a link will be opened: name the network, as in 203.0.113.0/24";
    return refuse(invalid(detail, "bind.network"));
  }
  const { network } = caller;
  return network === null
    ? refuse(invalid("the network of this request is not known", "bind.network"))
    : ok(network);
}

function principalFor(
  wished: BindInput["principal"],
  whom: BindSubject,
  caller: Caller,
  isDemanded: boolean,
): Result<string | null> {
  if (wished === undefined && !isDemanded) return ok(null);
  if (!caller.hasPrincipals) {
    return refuse(invalid("this server is not configured for principals", "bind.principal"));
  }
  if (typeof wished === "string") return ok(wished);
  if (wished === undefined && whom !== "self") {
    return refuse(
      invalid(
        "this server requires a binding for every participant: set it in bind",
        "bind.principal",
      ),
    );
  }
  const { principal } = caller;
  return principal === null
    ? refuse(invalid("the principal of this request is not known", "bind.principal"))
    : ok(principal);
}

const KINDS: readonly string[] = ["network", "principal"] satisfies readonly BoundTo[];

function requiredKindsIn({ REQUIRE_BIND = "" }: Pick<Env, "REQUIRE_BIND">): ReadonlySet<string> {
  const kinds = REQUIRE_BIND.split(",")
    .map((kind) => kind.trim())
    .filter((kind) => kind !== "");
  const unknown = kinds.find((kind) => !KINDS.includes(kind));
  if (unknown !== undefined) throw new Error(`REQUIRE_BIND has the unknown kind "${unknown}"`);
  return new Set(kinds);
}
