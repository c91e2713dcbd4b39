/** The product's Worker, which also tells how often the object of any session was constructed. */
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

// Worker and object share an isolate here, so what one counts the other sees.
export default {
  fetch: async (request, env, context) =>
    new URL(request.url).pathname === "/constructions"
      ? new Response(String(constructions))
      : product.fetch(request, env, context),
} satisfies typeof product;
