/**
 * The body of a webhook in each format: the notice as Standard Webhooks defines it, or a message
 * for Slack, Discord or ntfy. Text of a client must never mention anyone or look like a link.
 */
import { encodeBase64 } from "../base64url";
import { exceedsUtf8Bytes } from "../json";
import { LIMITS } from "../limits";
import type { Notice } from "./notice";
import { NOTICES } from "./catalogue";

/**
 * A notice as a person reads it in a channel. The title is text of a client, so each format escapes
 * it for its channel.
 */
interface Message {
  readonly title: string;
  readonly text: string;
  /** What the session waits for, or null. */
  readonly waiting: string | null;
  readonly url: string | null;
}

const WAITING: Readonly<Record<string, string>> = {
  review: "Waiting for a review",
  person: "Waiting for a person",
  job: "Waiting for a job",
  time: "Waiting for its next attempt",
  agent: "Waiting for an agent",
};

function messageOf({ type, data }: Notice, url: string | null): Message {
  const waiting = data.waiting === null ? undefined : WAITING[data.waiting.for];
  return {
    // Channels refuse an empty title, and a title of only spaces counts as empty.
    title: oneLine(data.title ?? "") || subjectOf(data),
    text: NOTICES[type],
    waiting: waiting === undefined ? null : `${waiting}.`,
    url,
  };
}

const subjectOf = ({ sessionId, origin }: Notice["data"]): string =>
  sessionId === undefined ? `Endpoint at ${origin ?? "an address"}` : `Session ${sessionId}`;

/** Headers and short fields have only one line. */
// oxlint-disable-next-line no-control-regex -- these are the ones to be removed
const oneLine = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f]+/g, " ").trim();

export const FORMATS = ["standard", "slack", "discord", "ntfy"] as const;
/** `mcp` is the format of subscriptions (subscription.ts). It cannot be chosen. */
export const ALL_FORMATS = [...FORMATS, "mcp"] as const;
export type Format = (typeof ALL_FORMATS)[number];
type ChosenFormat = (typeof FORMATS)[number];

export interface WebhookRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** Query parameters that the channel needs in addition to the registered URL. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body: string;
}

const JSON_TYPE = { "Content-Type": "application/json" } as const;

const RENDER: Readonly<
  Record<ChosenFormat, (notice: Notice, url: string | null) => WebhookRequest>
> = {
  standard: (notice, url) => ({ headers: JSON_TYPE, body: standard(notice, url) }),
  slack: (notice, url) => json(slack(messageOf(notice, url))),
  discord: (notice, url) => ({
    ...json(discord(messageOf(notice, url), notice.timestamp)),
    query: DISCORD_QUERY,
  }),
  ntfy: (notice, url) => ntfy(messageOf(notice, url)),
};

/** `url` is the link of a handoff, only for endpoints that the handoff names. */
export const renderNotice = (
  format: ChosenFormat,
  notice: Notice,
  url: string | null,
): WebhookRequest => RENDER[format](notice, url);

/** Only labels can be large. The session also has them, so they can be omitted. */
function standard(notice: Notice, url: string | null): string {
  const encode = (data: Notice["data"]): string =>
    JSON.stringify({ ...notice, data: url === null ? data : { ...data, url } });
  const body = encode(notice.data);
  return exceedsUtf8Bytes(body, LIMITS.webhookBytes)
    ? encode({ ...notice.data, labels: {} })
    : body;
}

const json = (body: object): WebhookRequest => ({ headers: JSON_TYPE, body: JSON.stringify(body) });

/**
 * docs.slack.dev: incoming webhooks and Block Kit. A header is plain text of at most 150
 * characters. Plain text is not parsed, but `text`, which notifications show, is.
 */
function slack({ title, text, waiting, url }: Message): object {
  const lines = [text, ...(waiting === null ? [] : [waiting])].join("\n");
  const button = { type: "button", text: { type: "plain_text", text: "Open", emoji: false }, url };
  return {
    text: escapeSlack(`${title}: ${text}`),
    blocks: [
      { type: "header", text: { type: "plain_text", text: clip(title, 150), emoji: false } },
      { type: "section", text: { type: "plain_text", text: lines, emoji: false } },
      ...(url === null ? [] : [{ type: "actions", elements: [button] }]),
    ],
  };
}

/** Slack reads these three as control sequences, such as <!channel>. */
const escapeSlack = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Without it Discord answers 204 even for a message that it did not store. */
const DISCORD_QUERY = { wait: "true" } as const;

/** discord.com/developers: execute webhook. An embed's title has at most 256 characters. */
const discord = ({ title, text, waiting, url }: Message, timestamp: string): object => ({
  embeds: [
    {
      title: clip(escapeMarkdown(title), 256),
      description: waiting === null ? text : `${text}\n${waiting}`,
      timestamp,
      ...(url === null ? {} : { url }),
    },
  ],
  // Mentions are disabled, whatever the title contains.
  allowed_mentions: { parse: [] },
});

const escapeMarkdown = (text: string): string => text.replaceAll(/[\\`*_~|>#[\]()<@-]/g, "\\$&");

/** docs.ntfy.sh: a POST to the topic's address, with everything but the text in headers. */
function ntfy({ title, text, waiting, url }: Message): WebhookRequest {
  return {
    headers: {
      "Content-Type": "text/plain; charset=utf-8",
      Title: headerText(clip(title, 250)),
      Tags: "bell",
      ...(url === null ? {} : { Click: url, Actions: `view, Open, ${url}` }),
    },
    body: waiting === null ? text : `${text}\n${waiting}`,
  };
}

/** The base64 of this many bytes, with its delimiters, fits in the 75 characters of an encoded word. */
const WORD_BYTES = 45;
const encoder = new TextEncoder();

/**
 * Headers are ASCII. Other text is sent as encoded words of RFC 2047, which ntfy decodes. Text that
 * looks like an encoded word is encoded too, so that it is not decoded by mistake.
 */
function headerText(text: string): string {
  if (/^[ -~]*$/.test(text) && !text.includes("=?")) return text;
  const words: string[] = [];
  for (const character of text) {
    const longer = `${words.at(-1) ?? ""}${character}`;
    if (words.length === 0 || exceedsUtf8Bytes(longer, WORD_BYTES)) words.push(character);
    else words[words.length - 1] = longer;
  }
  return words.map((word) => `=?UTF-8?B?${encodeBase64(encoder.encode(word))}?=`).join(" ");
}

/** Never cuts a surrogate pair in half. */
const clip = (text: string, maxLength: number): string =>
  text.length <= maxLength
    ? text
    : `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
