/** The product's Worker, which also tells how often the object of any session was constructed. */
import { createApp } from "../../../src/http/app";
import { SessionObject as Product } from "../../../src/object/session-object";

let constructions = 0;

export class SessionObject extends Product {
  constructor(...args: ConstructorParameters<typeof Product>) {
    super(...args);
    constructions += 1;
  }
}

const app = createApp();
// Worker and object share an isolate here, so what one counts the other sees.
app.get("/constructions", (context) => context.text(String(constructions)));
export default app;
