/** Tools that bring others in: another agent, a person, a file that somebody sends. */
import * as z from "zod";
import { numberOf } from "../domain/ids";
import type { Command, Handoff } from "../domain/session/command";
import { linkAddresses } from "../gateway/public-url";
import type { WriteAnswer } from "../gateway/write-answer";
import { requestUploadBody } from "../protocol/file-requests";
import { handoffBody } from "../protocol/handoff-requests";
import { handoffSchema, uploadSchema } from "../protocol/session";
import {
  defineTool,
  handleInput,
  KEEPS,
  readHandle,
  refusedBy,
  ROTATES,
  SAME_TOKEN,
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
  title: "Hand off to another agent",
  description: `Creates a token for another agent. Give participant_token only to that agent; it continues with resume_session. ${ROTATES}`,
  input: z.object({
    ...writeInput,
    scopes: given.scopes.describe("As few as needed: view < append < fill"),
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
  url: z.string().describe("The link to send to the person"),
  code: z.string().describe("The link's code, for typing it at /h"),
  qr_url: z.string().describe("The link's QR code as SVG"),
  link_expires_at: z.string().describe("When the link expires"),
  handoff: shownHandoff,
});

function linkMembers({ code, handoff }: WriteAnswer, publicUrl: string) {
  if (code === null || handoff === null) throw new Error("a link has a code and a handoff");
  const { url, qrUrl } = linkAddresses(code, publicUrl);
  return { url, code, qr_url: qrUrl, link_expires_at: handoff.expiresAt, handoff };
}

const handoff_to_human = defineTool({
  title: "Hand off to a person",
  description: `Creates a short link for a person. Anyone who has it can open it, for 24 hours or ttl_ms. Send url to the person; read_events shows what they do. ${ROTATES}`,
  input: z.object({
    ...writeInput,
    scopes: given.scopes.describe("view, fill or review"),
    note: given.note.describe("For the person"),
    ttl_ms: given.ttlMs,
    single_use: given.singleUse.describe("Opens once"),
    takeover: given.takeover.describe("Another browser may take over"),
    ask: given.ask.describe("Fields to ask for; the link can write only these"),
    show: given.show.describe("Fields to show, unchangeable"),
    question: given.question.describe("Shown at the top of the page"),
    submit_label: given.submitLabel.describe("The button's text"),
    show_title: given.showTitle.describe("Show the title before it is opened"),
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
  description: `Announces a file and returns where to send it over HTTP: PUT its bytes to put_url, then POST to confirm_url, both with Authorization: Bearer and your newest resume token. The POST spends it too and returns the next one as resumeToken. ${ROTATES}`,
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

const revoke_participant = defineTool({
  title: "Revoke a participant",
  description: `Revokes a participant and everyone it brought in. ${ROTATES}`,
  input: z.object({
    ...writeInput,
    participant: z
      .string()
      .regex(/^(?:par|hnd)_\d+$/, { error: "must be an id such as par_2, or hnd_2 of a handoff" })
      .describe("par_2, or hnd_2 for your own handoff"),
  }),
  output: z.object(sessionOutput),
  readOnly: false,
  destructive: true,
  idempotent: true,
  run: writing(
    ({ participant }: WriteArgs & { readonly participant: string }): Command => {
      const number = numberOf(participant, "hnd_");
      return number === null
        ? { operation: "revoke", target: numberOf(participant, "par_") ?? 0 }
        : { operation: "revokeHandoff", participant: number };
    },
    () => "Revoked.",
  ),
});

/** What a model can read in its context. */
const INLINE_BYTES = 64 * 1024;

const download_file = defineTool({
  title: "Read a file",
  description: `Returns a confirmed file: its text if it is text of up to 64 KiB, and where to GET it over HTTP with Authorization: Bearer and the resume token. ${KEEPS}`,
  input: z.object({ ...handleInput, upload: z.string().describe("Such as upl_1") }),
  output: z.object({
    resume_token: z.string(),
    upload: uploadSchema,
    get_url: z.string(),
    text: z.string().optional(),
  }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  async run({ gateway, uploads, publicUrl }, args) {
    const { resume_token } = args;
    const presented = await readHandle(gateway, args);
    if (!presented.ok) return refusedBy(presented.error);
    const reply = await uploads.get(presented.value, numberOf(args.upload, "upl_") ?? 0);
    if (!reply.ok) return reply;
    const { body, upload } = reply.value;
    const isText = /^(?:text\/|application\/(?:json|xml|yaml))/.test(String(upload["type"]));
    const isShort = Number(upload["size"]) <= INLINE_BYTES;
    const content = isText && isShort ? { text: await new Response(body).text() } : {};
    if (!("text" in content)) await body.cancel();
    const get_url = `${publicUrl}/sessions/${presented.value.sessionId}/uploads/${args.upload}`;
    const text = "text" in content ? "Its text is in text." : "GET it from get_url.";
    return {
      ok: true,
      value: {
        text: `${text} ${SAME_TOKEN}`,
        facts: { resume_token, upload, get_url, ...content },
      },
    };
  },
});

export const handoffTools = {
  handoff_to_agent,
  handoff_to_human,
  revoke_participant,
  request_upload,
  download_file,
};
