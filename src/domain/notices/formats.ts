/**
 * What is posted, by format: the notice itself as Standard Webhooks has it, or a message as Slack,
 * Discord and ntfy take it. Nothing a client wrote can mention anybody or look like a link.
 */
import { encodeBase64 } from "../base64url";
import { exceedsUtf8Bytes } from "../json";
import { LIMITS } from "../limits";
import type { Notice } from "./notice";
import { NOTICES } from "./catalogue";

/**
 * A notice as a person reads it in a channel: a title, what happened, who waits, and a link where one
 * may be shown. Titles are what a client wrote, so each format below escapes them for its channel.
 */
interface Message {
  readonly title: string;
  readonly text: string;
  /** Who is waited for, or null. */
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
    // Channels refuse an empty title, and a title of spaces is one.
    title: oneLine(data.title ?? "") || subjectOf(data),
    text: NOTICES[type],
    waiting: waiting === undefined ? null : `${waiting}.`,
    url,
  };
}

const subjectOf = ({ sessionId, origin }: Notice["data"]): string =>
  sessionId === undefined ? `Endpoint at ${origin ?? "an address"}` : `Session ${sessionId}`;

/** Headers and short fields hold one line. */
// oxlint-disable-next-line no-control-regex -- these are the ones to be removed
const oneLine = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f]+/g, " ").trim();

export const FORMATS = ["standard", "slack", "discord", "ntfy"] as const;
/** `mcp` is the format of subscriptions, which nobody chooses: domain/notices/subscription.ts. */
export const ALL_FORMATS = [...FORMATS, "mcp"] as const;
export type Format = (typeof ALL_FORMATS)[number];
type ChosenFormat = (typeof FORMATS)[number];

export interface WebhookRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** What the channel wants in the address, beside what was registered. */
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

/** `url` is the link of a handoff, for the endpoints that the handoff names. */
export const renderNotice = (
  format: ChosenFormat,
  notice: Notice,
  url: string | null,
): WebhookRequest => RENDER[format](notice, url);

/** Labels are the one part that can be large; they are at the session too. */
function standard(notice: Notice, url: string | null): string {
  const written = (data: Notice["data"]): string =>
    JSON.stringify({ ...notice, data: url === null ? data : { ...data, url } });
  const whole = written(notice.data);
  return exceedsUtf8Bytes(whole, LIMITS.webhookBytes)
    ? written({ ...notice.data, labels: {} })
    : whole;
}

const json = (body: object): WebhookRequest => ({ headers: JSON_TYPE, body: JSON.stringify(body) });

/**
 * docs.slack.dev: incoming webhooks and Block Kit. A header is plain text of at most 150 characters. What
 * is plain text is not parsed; `text`, which notifications show, is.
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

/** Without it Discord answers 204 also for a message that it did not keep. */
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
  // Nobody is mentioned, whatever the title says.
  allowed_mentions: { parse: [] },
});

const escapeMarkdown = (text: string): string => text.replaceAll(/[\\`*_~|>#[\]()<@-]/g, "\\$&");

/** docs.ntfy.sh: a POST to the topic's address, with what is beside the text in headers. */
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

/** With its frame, base64 of so many bytes stays below the 75 characters of an encoded word. */
const WORD_BYTES = 45;
const encoder = new TextEncoder();

/**
 * A header holds ASCII; anything else goes in the encoded words of RFC 2047, which ntfy reads. So does
 * what looks like such a word, because nobody meant it to be read.
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

/** Cut before half a character. */
const clip = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
