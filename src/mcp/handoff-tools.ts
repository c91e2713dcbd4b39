/** Tools that bring others in: another agent, a person, a file that somebody sends. */
import * as z from "zod";
import type { Handoff } from "../domain/session/command";
import { linkAddresses } from "../gateway/public-url";
import type { WriteAnswer } from "../gateway/write-answer";
import { requestUploadBody } from "../protocol/file-requests";
import { handoffBody } from "../protocol/handoff-requests";
import { handoffSchema, uploadSchema } from "../protocol/session";
import {
  defineTool,
  ROTATES,
  sessionOutput,
  writeInput,
  writing,
  type WriteArgs,
} from "./tool-kit";

const given = handoffBody.shape;
/** The addresses of a link stand beside the handoff. */
const shownHandoff = handoffSchema.omit({ url: true, code: true, qrUrl: true });

type HandoffArgs = WriteArgs &
  Pick<Handoff, "scopes" | "note" | "actor" | "takeover" | "bind" | "ask" | "show" | "question"> & {
    readonly ttl_ms?: number | undefined;
    readonly single_use?: boolean | undefined;
    readonly submit_label?: string | undefined;
    readonly show_title?: boolean | undefined;
  };

const handoff_to_agent = defineTool({
  title: "Hand on to another agent",
  description: `Makes a participant with a token of its own for another agent, with rights no wider than yours. ${ROTATES} Give participant_token to the other agent only; it continues with resume_session.`,
  input: z.object({
    ...writeInput,
    scopes: given.scopes.describe("The narrowest that does: view < append < fill"),
    note: given.note,
    ttl_ms: given.ttlMs,
    actor: given.actor,
    bind: given.bind,
  }),
  output: z.object({ ...sessionOutput, participant_token: z.string(), handoff: shownHandoff }),
  readOnly: false,
  destructive: false,
  idempotent: true,
  run: writing(
    ({ scopes, note, ttl_ms: ttlMs, actor, bind }: HandoffArgs) => ({
      operation: "handoff",
      to: "agent",
      scopes,
      note,
      ttlMs,
      actor,
      bind,
    }),
    () => "Handed on: participant_token is for the other agent.",
    ({ participantToken, handoff }) => ({ participant_token: participantToken, handoff }),
  ),
});

const linkOutput = z.object({
  ...sessionOutput,
  url: z.string().describe("What to send to the person"),
  code: z.string().describe("The link's code, to type or to say"),
  qr_url: z.string().describe("The link's QR code as SVG"),
  link_expires_at: z.string().describe("Until when the link opens"),
  handoff: shownHandoff,
});

function linkMembers({ code, handoff }: WriteAnswer, publicUrl: string) {
  if (code === null || handoff === null) throw new Error("a link has a code and a handoff");
  const { url, qrUrl } = linkAddresses(code, publicUrl);
  return { url, code, qr_url: qrUrl, link_expires_at: handoff.expiresAt, handoff };
}

const handoff_to_human = defineTool({
  title: "Hand on to a person",
  description: `Makes a short link for a person, with rights no wider than yours. Whoever has the link can open it, for 24 hours unless ttl_ms says otherwise and never past the session. Send url to the person, or tell them the code; read_events shows what they do. ${ROTATES}`,
  input: z.object({
    ...writeInput,
    scopes: given.scopes.describe("The narrowest that does: view, fill or review"),
    note: given.note.describe("What the person is asked to do; the page shows it"),
    ttl_ms: given.ttlMs,
    single_use: given.singleUse,
    takeover: given.takeover,
    ask: given.ask,
    show: given.show,
    question: given.question,
    submit_label: given.submitLabel,
    show_title: given.showTitle,
    actor: given.actor.describe("Who the person is, as far as you know"),
    bind: given.bind,
  }),
  output: linkOutput,
  readOnly: false,
  destructive: false,
  idempotent: true,
  run: writing(
    ({ scopes, note, ttl_ms: ttlMs, single_use: singleUse, ...rest }: HandoffArgs) => ({
      operation: "handoff",
      to: "human",
      scopes,
      note,
      ttlMs,
      singleUse,
      takeover: rest.takeover,
      ask: rest.ask,
      show: rest.show,
      question: rest.question,
      submitLabel: rest.submit_label,
      showTitle: rest.show_title,
      actor: rest.actor,
      bind: rest.bind,
    }),
    ({ handoff }) => `Send url to the person; it opens until ${handoff?.expiresAt}.`,
    linkMembers,
  ),
});

const { field, name, type, size, sha256 } = requestUploadBody.shape;

const request_upload = defineTool({
  title: "Announce a file",
  description: `Announces a file and returns where to send it. The bytes go over HTTP, not through this tool: PUT them to put_url, then POST to confirm_url, both with the header Authorization: Bearer and your newest resume token. The PUT spends no token; the POST does, and its answer has the next one as resumeToken. Until then the session awaits the file. ${ROTATES}`,
  input: z.object({
    ...writeInput,
    field,
    name: name.describe("The file's name, without a path"),
    type: type.describe("Its media type, as in image/png"),
    size,
    sha256: sha256.describe("In hex; checked against what arrives"),
  }),
  output: z.object({
    ...sessionOutput,
    upload: uploadSchema,
    put_url: z.string().describe("PUT the bytes here, with Content-Type and Content-Length"),
    confirm_url: z.string().describe("Then POST here"),
  }),
  readOnly: false,
  destructive: false,
  idempotent: true,
  run: writing(
    ({ field, name, type, size, sha256 }) => ({
      operation: "requestUpload",
      field,
      name,
      type,
      size,
      sha256,
    }),
    () =>
      "Announced: PUT the bytes to put_url, then POST to confirm_url, with resume_token as bearer token.",
    (answer, publicUrl) => {
      const upload = answer.outcome["upload"] as unknown as z.output<typeof uploadSchema>;
      const put_url = `${publicUrl}/sessions/${answer.shown.id}/uploads/${upload.id}`;
      return { upload, put_url, confirm_url: `${put_url}/confirm` };
    },
  ),
});

export const handoffTools = { handoff_to_agent, handoff_to_human, request_upload };
