/** Tools for handoffs to agents and people, for revoking them, and for files. */
import * as z from "zod";
import { numberOf } from "../domain/ids";
import type { Command } from "../domain/session/command";
import { linkAddresses } from "../gateway/public-url";
import type { WriteAnswer } from "../gateway/write-answer";
import { AGENT_ONLY_MEMBERS, LINK_ONLY_MEMBERS } from "../protocol/handoff-requests";
import { HANDOFF_END_TYPES } from "./handoff-history";
import * as kit from "./tool-kit";

const BIND_DESCRIPTION = "Network or principal it needs";

const handoff_to_agent = kit.defineTool({
  title: "Hand off to another agent",
  description: `Creates a token. Give participant_token only to that agent; it continues with resume_session. ${kit.SPENDS_TOKEN}`,
  route: "createHandoff",
  omit: ["to", ...LINK_ONLY_MEMBERS, "remindAfterMs", "notify"],
  descriptions: {
    scopes: "As few as needed: view < append < fill; or review",
    ttlMs: "",
    bind: BIND_DESCRIPTION,
    ask: "It writes only these fields",
    show: "It sees these too",
    events: "{append, read}: lists of types, as chat.*",
  },
  extraInput: kit.writeInput,
  ...kit.MODIFYING,
  run: kit.runCommand(
    (body) => ({ operation: "handoff", ...body, to: "agent" }),
    () => "Handed off: participant_token is for the other agent.",
    ({ participantToken, handoff }) => ({ participant_token: participantToken, handoff }),
  ),
});

function linkMembers({ code, handoff }: WriteAnswer, publicUrl: string) {
  if (code === null || handoff === null) throw new Error("a link has a code and a handoff");
  const { url, qrUrl } = linkAddresses(code, publicUrl);
  return { url, code, qr_url: qrUrl, link_expires_at: handoff.expiresAt, handoff };
}

/** The exact wait_for call, so that an older answer or a decline is not mistaken for the answer to this link. */
function waitAdvice({ handoff, replayed, session: { view } }: WriteAnswer): string {
  // In a replayed response, the head may already be past the answer.
  const start = replayed ? {} : { after: view.head };
  const call = JSON.stringify({ ...start, types: HANDOFF_END_TYPES });
  return `it opens until ${handoff?.expiresAt}. Then call wait_for with ${call} and the resume_token of this result.`;
}

/** Notes on what the link allows that the caller may not expect. */
function linkNotes({ handoff }: WriteAnswer): string {
  const scopes = handoff?.scopes ?? [];
  const wide = scopes.filter((scope) => scope === "own" || scope === "handoff");
  const submits = scopes.includes("fill") ? " Submit on the page submits the whole session." : "";
  return wide.length === 0
    ? submits
    : `${submits} Warning: the link grants ${wide.join(" and ")} to anyone who opens it.`;
}

const handoff_to_human = kit.defineTool({
  title: "Hand off to a person",
  description: `Creates a short link. Anyone who has it can open it, for 24 hours or ttl_ms. Send url to the person, then wait_for the answer. Submit on the page submits the session. ${kit.SPENDS_TOKEN}`,
  route: "createHandoff",
  omit: ["to", ...AGENT_ONLY_MEMBERS, "remindAfterMs", "notify"],
  descriptions: {
    scopes: "view, fill or review",
    ttlMs: "",
    bind: BIND_DESCRIPTION,
    note: "For the person",
    singleUse: "Opens once",
    takeover: "Another browser may continue",
    ask: "Fields to ask for, and no others",
    show: "Fields to show",
    question: "At the top of the page",
    submitLabel: "The button's text",
    showTitle: "Show the title before it is opened",
    actor: "Who the person is",
  },
  extraInput: kit.writeInput,
  ...kit.MODIFYING,
  run: kit.runCommand(
    (body) => ({ operation: "handoff", ...body, to: "human" }),
    (answer) => `Send url to the person; ${waitAdvice(answer)}${linkNotes(answer)}`,
    linkMembers,
  ),
});

const reissue_link = kit.defineTool({
  title: "Issue a link again",
  description: `Gives a person's link a new code if it was lost, expired or declined. The old one stops working. ${kit.SPENDS_TOKEN}`,
  route: "reissueHandoff",
  descriptions: { ttlMs: "" },
  extraInput: {
    ...kit.writeInput,
    handoff: z
      .string()
      .regex(/^hnd_\d+$/, { error: "must be the id of a handoff, such as hnd_2" })
      .describe("Such as hnd_2"),
  },
  ...kit.MODIFYING,
  run: kit.runCommand(
    (body, { handoff }): Command => ({
      operation: "reissue",
      participant: numberOf(handoff, "hnd_") ?? 0,
      ...body,
    }),
    (answer) => `Send the new url to the person; ${waitAdvice(answer)}`,
    linkMembers,
  ),
});

const request_upload = kit.defineTool({
  title: "Announce a file",
  description: `Announces a file and returns where to send it over HTTP: PUT its bytes to put_url with its media type as Content-Type, then POST to confirm_url, both with Authorization: Bearer and your newest resume token. The POST spends it too and returns the next as resumeToken. ${kit.SPENDS_TOKEN}`,
  route: "requestUpload",
  descriptions: {
    name: "The file's name, without a path",
    type: "Its media type",
    sha256: "In hex",
  },
  extraInput: kit.writeInput,
  ...kit.MODIFYING,
  run: kit.runCommand(
    (body) => ({ operation: "requestUpload", ...body }),
    () =>
      "Announced: PUT the bytes to put_url with upload.type as Content-Type, then POST to confirm_url, with resume_token as bearer token.",
    (answer, publicUrl) => {
      const upload = answer.outcome["upload"] as { readonly id: string };
      const put_url = `${publicUrl}/sessions/${answer.session.id}/uploads/${upload.id}`;
      return { upload, put_url, confirm_url: `${put_url}/confirm` };
    },
  ),
});

const revoke_participant = kit.defineTool({
  title: "Revoke a participant",
  description: `Revokes a participant and everyone it brought in. ${kit.SPENDS_TOKEN}`,
  route: "revokeHandoff",
  extraInput: {
    ...kit.writeInput,
    participant: z
      .string()
      .regex(/^(?:par|hnd)_\d+$/, { error: "must be an id such as par_2, or hnd_2 of a handoff" })
      .describe("par_2, or hnd_2 for your own handoff"),
  },
  ...kit.DESTRUCTIVE,
  run: kit.runCommand(
    (_, { participant }): Command => {
      const number = numberOf(participant, "hnd_");
      return number === null
        ? { operation: "revoke", target: numberOf(participant, "par_") ?? 0 }
        : { operation: "revokeHandoff", participant: number };
    },
    () => "Revoked.",
  ),
});

/** The largest file whose text fits into a model's context. */
const INLINE_BYTES = 64 * 1024;

const download_file = kit.defineTool({
  title: "Read a file",
  description: `Returns a confirmed file: its text if it is text of up to 64 KiB, and where to GET it over HTTP with Authorization: Bearer and the resume token. ${kit.KEEPS_TOKEN}`,
  route: "getUpload",
  extraInput: { ...kit.handleInput, upload: z.string().describe("Such as upl_1") },
  ...kit.READ_ONLY,
  run: kit.runKeepingToken(
    async ({ uploads, publicUrl }, credential, _, { upload: id }) => {
      const reply = await uploads.get(credential, numberOf(id, "upl_") ?? 0);
      if (!reply.ok) return reply;
      const { body, upload } = reply.value;
      const isText = /^(?:text\/|application\/(?:json|xml|yaml))/.test(String(upload["type"]));
      const isShort = Number(upload["size"]) <= INLINE_BYTES;
      const content = isText && isShort ? { text: await new Response(body).text() } : {};
      if (!("text" in content)) await body.cancel();
      const get_url = `${publicUrl}/sessions/${credential.sessionId}/uploads/${id}`;
      return { ...reply, value: { upload, get_url, ...content } };
    },
    (file) => ({
      text: "text" in file ? "Its text is in text." : "GET it from get_url.",
      facts: file,
    }),
  ),
});

export const handoffTools = {
  handoff_to_agent,
  handoff_to_human,
  reissue_link,
  revoke_participant,
  request_upload,
  download_file,
};
