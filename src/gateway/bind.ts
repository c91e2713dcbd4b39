/** Resolves the binding of a participant from the request and from the settings of the deployment. */
import type { Binding, BindInput, BoundTo, ResolvedBinding } from "../domain/participants/binding";
import { invalid } from "../domain/failure";
import { ok, refuse, type Result } from "../domain/result";
import type { Env } from "../env";
import type { Caller } from "./caller";
import { hashProxiedPrincipal } from "./secrets";

/** The participant to bind: the caller, another agent, or the person who opens a link. */
type BindSubject = "self" | "agent" | "human";

export function resolveBind(
  input: BindInput | undefined,
  subject: BindSubject,
  caller: Caller,
  env: Pick<Env, "REQUIRE_BIND">,
): Result<ResolvedBinding> {
  const required = requiredKindsIn(env);
  const network = networkFor(input?.network, subject, caller, required.has("network"));
  if (!network.ok) return network;
  const principal = principalFor(input?.principal, subject, caller, required.has("principal"));
  if (!principal.ok) return principal;
  if (network.value === null && principal.value === null) return ok(brandBinding(null));
  return ok(
    brandBinding({
      ...(network.value === null ? {} : { network: network.value }),
      ...(principal.value === null ? {} : { principal: hashProxiedPrincipal(principal.value) }),
    }),
  );
}

/** The brand exists only in types: the object receives plain data. */
const brandBinding = (binding: Binding | null): ResolvedBinding => ({ binding }) as ResolvedBinding;

function networkFor(
  requested: BindInput["network"],
  subject: BindSubject,
  caller: Caller,
  isRequired: boolean,
): Result<string | null> {
  if (typeof requested === "string") return ok(requested);
  if (requested === undefined && !isRequired) return ok(null);
  if (subject === "human") {
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
  requested: BindInput["principal"],
  subject: BindSubject,
  caller: Caller,
  isRequired: boolean,
): Result<string | null> {
  if (requested === undefined && !isRequired) return ok(null);
  if (!caller.hasPrincipals) {
    return refuse(invalid("this server is not configured for principals", "bind.principal"));
  }
  if (typeof requested === "string") return ok(requested);
  if (requested === undefined && subject !== "self") {
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
