/**
 * Runs the rule of an admitted command. Each operation has one rule, and the compiler checks that
 * none is missing.
 */
import * as checkpoints from "../checkpoints/checkpoint";
import { decline, withAnswerEvent } from "../links/link-answers";
import type { Command } from "./command";
import type { DecisionContext, DecisionResult } from "./decision";
import { setFields } from "./fields";
import { fork } from "../checkpoints/fork";
import { cancel, extend, finalize, setLabels, setPaused } from "./lifecycle";
import * as endpoints from "../notices/endpoint-rules";
import { fillersProblem } from "../participants/identity";
import { handoff, reissue, resume, revoke, revokeHandoff } from "../participants/participant-rules";
import { refuse } from "../result";
import { erasePrivate } from "./private-values";
import { approve, reject, requestChanges, requestInput, submit } from "./review";
import { confirmUpload, removeUpload, requestUpload } from "../files/upload";

export function decide(command: Command, context: DecisionContext): DecisionResult {
  const rule = RULES[command.operation] as (
    command: Command,
    context: DecisionContext,
  ) => DecisionResult;
  const decided = withAnswerEvent(command, context, rule(command, context));
  if (!decided.ok || decided.value.filled !== true) return decided;
  const fillersFailure = fillersProblem(context.participants, context.identity);
  return fillersFailure === null ? decided : refuse(fillersFailure);
}

/** The commands of an operation. */
type Of<O, C extends Command = Command> = C extends Command
  ? O extends C["operation"]
    ? C
    : never
  : never;

const RULES: {
  readonly [O in Command["operation"]]: (
    command: Of<O>,
    context: DecisionContext,
  ) => DecisionResult;
} = {
  setFields,
  requestInput,
  submit: (_, context) => submit(context),
  approve,
  reject,
  requestChanges,
  decline,
  finalize,
  cancel,
  pause: setPaused,
  unpause: setPaused,
  extend,
  setLabels,
  erasePrivate,
  resume,
  handoff,
  reissue,
  revokeHandoff,
  revoke,
  checkpoint: checkpoints.createCheckpoint,
  pinCheckpoint: checkpoints.pinCheckpoint,
  deleteCheckpoint: checkpoints.deleteCheckpoint,
  restore: checkpoints.restoreCheckpoint,
  trim: checkpoints.trimLog,
  requestUpload,
  confirmUpload,
  removeUpload,
  addEndpoint: endpoints.addEndpoint,
  changeEndpoint: endpoints.changeEndpoint,
  rotateEndpoint: endpoints.rotateEndpoint,
  replayEndpoint: endpoints.replayEndpoint,
  removeEndpoint: endpoints.removeEndpoint,
  fork,
};
