/** The SDK's types are written by hand, so that it needs no zod. Here the compiler compares them with the server's. */
import { expectTypeOf, it } from "vitest";
import type { z } from "zod";
import type {
  ActorInput,
  Appended,
  AuditPage,
  Checkpoint,
  CheckpointInput,
  CreateInput,
  EventInput,
  EventsPage,
  ForkInput,
  HandoffInput,
  HandoffView,
  LineageEntry,
  LogEvent,
  Problem,
  Resumable,
  ResumeInput,
  RevokeInput,
  SessionView,
  SetInput,
  StopInput,
  Stopped,
  Validation,
} from "../../../src/client/index.ts";
import type { API_ROUTES } from "../../../src/protocol/api-routes.ts";
import type { problemSchema } from "../../../src/protocol/problem.ts";
import type {
  stopBody,
  checkpointBody,
  forkBody,
} from "../../../src/protocol/automation-requests.ts";
import type { setFieldsBody } from "../../../src/protocol/document-requests.ts";
import type { handoffBody, revokeBody } from "../../../src/protocol/handoff-requests.ts";
import type { appendBody } from "../../../src/protocol/log-requests.ts";
import type { actorClaim } from "../../../src/protocol/request-parts.ts";
import type { createBody, resumeBody } from "../../../src/protocol/session-requests.ts";
import type {
  eventSchema,
  handoffSchema,
  sessionSchema,
} from "../../../src/protocol/session-schemas.ts";

/** Removes `readonly`, which makes no difference on the wire. */
type Mutable<T> = T extends readonly (infer E)[]
  ? Mutable<E>[]
  : T extends object
    ? { -readonly [K in keyof T]: Mutable<T[K]> }
    : T;
type Sent<S extends z.ZodType> = z.input<S>;
type Body<
  K extends keyof typeof API_ROUTES,
  S extends number,
> = (typeof API_ROUTES)[K]["responses"] extends {
  [P in S]: { schema: infer Z extends z.ZodType };
}
  ? z.output<Z>
  : never;

it("the SDK sends only what the server accepts", () => {
  expectTypeOf<Mutable<ActorInput>>().toExtend<Sent<typeof actorClaim>>();
  expectTypeOf<Mutable<CreateInput>>().toExtend<Sent<typeof createBody>>();
  expectTypeOf<Mutable<SetInput>>().toExtend<Sent<typeof setFieldsBody>>();
  expectTypeOf<Mutable<ResumeInput>>().toExtend<Sent<typeof resumeBody>>();
  expectTypeOf<{ events: Mutable<EventInput>[] }>().toExtend<Sent<typeof appendBody>>();
  expectTypeOf<Mutable<HandoffInput> & { to: "agent" }>().toExtend<Sent<typeof handoffBody>>();
  expectTypeOf<Mutable<RevokeInput>>().toExtend<Sent<typeof revokeBody>>();
  expectTypeOf<Mutable<StopInput>>().toExtend<Sent<typeof stopBody>>();
  expectTypeOf<Mutable<CheckpointInput>>().toExtend<Sent<typeof checkpointBody>>();
  expectTypeOf<Mutable<ForkInput>>().toExtend<Sent<typeof forkBody>>();
});

it("the SDK can send every member that the server knows", () => {
  expectTypeOf<keyof Sent<typeof createBody>>().toEqualTypeOf<keyof CreateInput>();
  expectTypeOf<keyof Sent<typeof setFieldsBody>>().toEqualTypeOf<keyof SetInput>();
  expectTypeOf<keyof Sent<typeof resumeBody>>().toEqualTypeOf<keyof ResumeInput>();
  expectTypeOf<keyof Sent<typeof stopBody>>().toEqualTypeOf<keyof StopInput>();
  expectTypeOf<keyof Sent<typeof checkpointBody>>().toEqualTypeOf<keyof CheckpointInput>();
  expectTypeOf<keyof Sent<typeof forkBody>>().toEqualTypeOf<keyof ForkInput>();
});

it("the SDK's answers have the members of the server's schemas", () => {
  expectTypeOf<keyof z.output<typeof sessionSchema>>().toEqualTypeOf<keyof SessionView>();
  expectTypeOf<keyof z.output<typeof eventSchema>>().toEqualTypeOf<keyof LogEvent>();
  expectTypeOf<keyof z.output<typeof handoffSchema>>().toEqualTypeOf<keyof HandoffView>();
  expectTypeOf<keyof z.output<typeof problemSchema>>().toEqualTypeOf<keyof Problem>();
  expectTypeOf<keyof Body<"readEvents", 200>>().toEqualTypeOf<keyof EventsPage>();
  expectTypeOf<keyof Body<"audit", 200>>().toEqualTypeOf<keyof AuditPage>();
  expectTypeOf<keyof Body<"appendEvents", 201>>().toEqualTypeOf<keyof Appended>();
  expectTypeOf<keyof Body<"resumable", 200>>().toEqualTypeOf<keyof Resumable>();
  expectTypeOf<keyof Body<"validate", 200>>().toEqualTypeOf<keyof Validation>();
  expectTypeOf<keyof Body<"reportStop", 200>>().toEqualTypeOf<keyof Stopped>();
  expectTypeOf<keyof Body<"listCheckpoints", 200>["checkpoints"][number]>().toEqualTypeOf<
    keyof Checkpoint
  >();
  expectTypeOf<keyof Body<"lineage", 200>["lineage"][number]>().toEqualTypeOf<keyof LineageEntry>();
});
