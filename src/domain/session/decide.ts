/** From an admitted write to what happens: one rule an operation, and no way to forget one. */
import {
  deleteCheckpoint,
  pinCheckpoint,
  restoreCheckpoint,
  takeCheckpoint,
  trim,
} from "../checkpoints/checkpoint";
import { decline, withAnswer } from "../links/answering";
import type { Command } from "./command";
import type { Context, Decided } from "./decision";
import { setFields } from "./fields";
import { fork } from "../checkpoints/fork";
import { cancel, extend, finalize, setLabels, setPaused } from "./lifecycle";
import {
  addEndpoint,
  changeEndpoint,
  removeEndpoint,
  replayEndpoint,
  rotateEndpoint,
} from "../notices/endpoint-rules";
import { fillersProblem } from "../participants/identity";
import { handoff, reissue, resume, revoke, revokeHandoff } from "../participants/participants";
import { refuse } from "../result";
import { erasePrivate } from "./private";
import { approve, reject, requestChanges, requestInput, submit } from "./review";
import { confirmUpload, removeUpload, requestUpload } from "../files/upload";

export function decide(command: Command, context: Context): Decided {
  const decided = withAnswer(command, context, decideAlone(command, context));
  if (!decided.ok || decided.value.filled !== true) return decided;
  const crowd = fillersProblem(context.participants, context.identity);
  return crowd === null ? decided : refuse(crowd);
}

function decideAlone(command: Command, context: Context): Decided {
  switch (command.operation) {
    case "setFields":
      return setFields(command, context);
    case "requestInput":
      return requestInput(command, context);
    case "submit":
      return submit(context);
    case "approve":
      return approve(command, context);
    case "reject":
      return reject(command, context);
    case "requestChanges":
      return requestChanges(command, context);
    case "decline":
      return decline(command, context);
    case "finalize":
      return finalize(command);
    case "cancel":
      return cancel(command);
    case "pause":
    case "unpause":
      return setPaused(command, context);
    case "extend":
      return extend(command, context);
    case "setLabels":
      return setLabels(command);
    case "erasePrivate":
      return erasePrivate(command, context);
    case "resume":
      return resume(command, context);
    case "handoff":
      return handoff(command, context);
    case "reissue":
      return reissue(command, context);
    case "revokeHandoff":
      return revokeHandoff(command, context);
    case "revoke":
      return revoke(command, context);
    case "checkpoint":
      return takeCheckpoint(command, context);
    case "pinCheckpoint":
      return pinCheckpoint(command, context);
    case "deleteCheckpoint":
      return deleteCheckpoint(command, context);
    case "restore":
      return restoreCheckpoint(command, context);
    case "trim":
      return trim(command, context);
    case "requestUpload":
      return requestUpload(command, context);
    case "confirmUpload":
      return confirmUpload(command, context);
    case "removeUpload":
      return removeUpload(command, context);
    case "addEndpoint":
      return addEndpoint(command, context);
    case "changeEndpoint":
      return changeEndpoint(command, context);
    case "rotateEndpoint":
      return rotateEndpoint(command, context);
    case "replayEndpoint":
      return replayEndpoint(command, context);
    case "removeEndpoint":
      return removeEndpoint(command, context);
    case "fork":
      return fork(command, context);
  }
}
