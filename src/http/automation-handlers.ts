/** Stops, checkpoints and forks over HTTP. */
import { numberOf } from "../domain/ids";
import type { Gateway } from "../gateway/gateway";
import { answerJson, replayedHeader } from "./answers";
import {
  commandHandlerWith,
  noArguments,
  queryHandler,
  answerRefusal,
  commandHandler,
} from "./handler";
import type { Input, SomeHandlers } from "./handler";

/** 0 if the id is not a checkpoint's: no checkpoint has that number. */
const checkpointIn = (params: Input["params"]): number =>
  numberOf(params["checkpointId"] ?? "", "chk_") ?? 0;

export const automationHandlers = {
  async reportStop({ gateway, principal, body, idempotencyKey }) {
    const report = body as Parameters<Gateway["reportStop"]>[1];
    const reply = await gateway.reportStop(principal, report, idempotencyKey);
    if (!reply.ok) return answerRefusal(reply);
    const { decision, seq, replayed } = reply.value;
    return answerJson(200, { decision, seq }, replayedHeader(replayed));
  },

  takeCheckpoint: commandHandlerWith(
    ({ body }: Input<"takeCheckpoint">) => ({ operation: "checkpoint", ...body }),
    ({ outcome }) => ({ checkpoint: outcome["checkpoint"] }),
    201,
  ),

  pinCheckpoint: commandHandlerWith(
    ({ body, params }: Input<"pinCheckpoint">) => ({
      operation: "pinCheckpoint",
      checkpoint: checkpointIn(params),
      ...body,
    }),
    ({ outcome }) => ({ checkpoint: outcome["checkpoint"] }),
  ),

  deleteCheckpoint: commandHandler(({ params }) => ({
    operation: "deleteCheckpoint",
    checkpoint: checkpointIn(params),
  })),

  restoreCheckpoint: commandHandler(({ params }) => ({
    operation: "restore",
    checkpoint: checkpointIn(params),
  })),

  trim: commandHandlerWith(
    ({ body }: Input<"trim">) => ({
      operation: "trim",
      checkpoint: numberOf(body.checkpoint, "chk_") ?? 0,
    }),
    ({ outcome }) => ({ floor: outcome["floor"], trimmed: outcome["trimmed"] }),
  ),

  fork: commandHandlerWith(
    ({ body }: Input<"fork">) => ({
      operation: "fork",
      ...body,
      from: body.from === undefined ? undefined : (numberOf(body.from, "chk_") ?? 0),
    }),
    ({ child, childToken, outcome }) => ({ child, childToken, prompt: outcome["prompt"] }),
    201,
  ),

  listCheckpoints: queryHandler("checkpoints", noArguments, (checkpoints) => ({ checkpoints })),

  getCheckpoint: queryHandler(
    "checkpoint",
    ({ params }) => ({ number: checkpointIn(params) }),
    (checkpoint) => ({ checkpoint }),
  ),

  async lineage({ gateway, principal }) {
    const reply = await gateway.lineage(principal);
    return reply.ok ? answerJson(200, { lineage: reply.value }) : answerRefusal(reply);
  },
} satisfies SomeHandlers;
