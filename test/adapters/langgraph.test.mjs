/** LangGraph's own suite for checkpointers, each set of its tests on a fresh namespace. */
import { randomUUID } from "node:crypto";
import { validate } from "@langchain/langgraph-checkpoint-validation";

const { Baton } = await import(`${process.env.BATON_PACKAGE}/client`);
const { BatonSaver } = await import(`${process.env.BATON_PACKAGE}/langgraph`);

validate({
  checkpointerName: "BatonSaver",
  createCheckpointer: () =>
    new BatonSaver({ baton: Baton.connect(process.env.BATON_URL), namespace: randomUUID() }),
});
