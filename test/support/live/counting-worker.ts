/** The product's Worker, which also reports how often session objects were constructed. */
import product from "../../../src/index";
import { SessionObject as Product } from "../../../src/object/session-object";

export { AgentQueue, HandoffDirectory, MissCounter } from "../../../src/index";

let constructions = 0;

export class SessionObject extends Product {
  constructor(...args: ConstructorParameters<typeof Product>) {
    super(...args);
    constructions += 1;
  }
}

// The Worker and its objects share an isolate here, so they share the counter.
export default {
  fetch: async (request, env, context) =>
    new URL(request.url).pathname === "/constructions"
      ? new Response(String(constructions))
      : product.fetch(request, env, context),
} satisfies typeof product;
