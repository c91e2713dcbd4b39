/**
 * What Slack, Discord and ntfy say of the messages they take, as rules that a message is held against.
 * Each rule names the page it comes from. A rule answers with what is wrong; an empty list is a message
 * that the channel takes.
 */

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of every shape
type Body = any;

export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

type Rule = readonly [what: string, holds: (message: Message) => boolean];

const problems = (rules: readonly Rule[], message: Message): readonly string[] =>
  rules.filter(([, holds]) => !holds(message)).map(([what]) => what);

const isJson = ({ headers }: Message): boolean => headers["Content-Type"] === "application/json";
const within = (text: unknown, most: number): boolean =>
  typeof text === "string" && text.length >= 1 && text.length <= most;
const onlyHas = (value: object, names: readonly string[]): boolean =>
  Object.keys(value).every((name) => names.includes(name));
const isWebAddress = (text: unknown, most: number): boolean =>
  typeof text === "string" && text.length <= most && /^https?:\/\//.test(text);

/** docs.slack.dev/reference/block-kit/composition-objects/text-object */
const isPlainText = (text: Body, most: number): boolean =>
  text?.type === "plain_text" &&
  within(text.text, most) &&
  onlyHas(text, ["type", "text", "emoji"]) &&
  (text.emoji === undefined || typeof text.emoji === "boolean");

/** docs.slack.dev/reference/block-kit/block-elements/button-element */
const isButton = (one: Body): boolean =>
  one?.type === "button" &&
  isPlainText(one.text, 75) &&
  isWebAddress(one.url, 3_000) &&
  onlyHas(one, ["type", "text", "url", "action_id", "value", "style"]);

/** docs.slack.dev/reference/block-kit/blocks: header, section, actions */
const isBlock = (block: Body): boolean => {
  switch (block?.type) {
    case "header":
      return isPlainText(block.text, 150) && onlyHas(block, ["type", "text"]);
    case "section":
      return isPlainText(block.text, 3_000) && onlyHas(block, ["type", "text"]);
    case "actions":
      return (
        block.elements?.length >= 1 && block.elements.length <= 25 && block.elements.every(isButton)
      );
    default:
      return false;
  }
};

/** docs.slack.dev/messaging/sending-messages-using-incoming-webhooks, and .../formatting-message-text */
const SLACK: readonly Rule[] = [
  ["is posted as JSON", isJson],
  [
    "has a text for notifications, of at most 40,000 characters",
    ({ body }) => within(body.text, 40_000),
  ],
  ["has at most 50 blocks", ({ body }) => Array.isArray(body.blocks) && body.blocks.length <= 50],
  ["has blocks as Block Kit describes them", ({ body }) => body.blocks.every(isBlock)],
  [
    "mentions nobody: & < and > are escaped in its text",
    ({ body }) => !/[<>]|&(?!amp;|lt;|gt;)/.test(body.text),
  ],
  ["has no other members", ({ body }) => onlyHas(body, ["text", "blocks"])],
];

/** discord.com/developers/docs/resources/message: embed limits count all characters of a message */
const charactersIn = (embeds: readonly Body[]): number =>
  embeds.reduce(
    (sum, { title = "", description = "" }) => sum + title.length + description.length,
    0,
  );

/** discord.com/developers/docs/resources/message#embed-object */
const isEmbed = (embed: Body): boolean =>
  within(embed.title, 256) &&
  within(embed.description, 4_096) &&
  (embed.timestamp === undefined || !Number.isNaN(Date.parse(embed.timestamp))) &&
  (embed.url === undefined || isWebAddress(embed.url, 2_048)) &&
  onlyHas(embed, ["title", "description", "timestamp", "url"]);

/** discord.com/developers/docs/resources/webhook#execute-webhook */
const DISCORD: readonly Rule[] = [
  ["is posted as JSON", isJson],
  ["has one to ten embeds", ({ body }) => body.embeds?.length >= 1 && body.embeds.length <= 10],
  ["has embeds within their limits", ({ body }) => body.embeds.every(isEmbed)],
  ["has at most 6,000 characters in all embeds", ({ body }) => charactersIn(body.embeds) <= 6_000],
  ["mentions nobody", ({ body }) => JSON.stringify(body.allowed_mentions) === '{"parse":[]}'],
  ["has no other members", ({ body }) => onlyHas(body, ["embeds", "allowed_mentions"])],
];

/** docs.ntfy.sh/publish: what is beside the text travels in headers, which hold ASCII or RFC 2047 words */
const NTFY: readonly Rule[] = [
  [
    "has a text of at most 4,096 bytes",
    ({ body }) => within(body, 4_096) && Buffer.byteLength(body) <= 4_096,
  ],
  [
    "has headers of ASCII on one line",
    ({ headers }) => Object.values(headers).every((text) => /^[ -~]*$/.test(text)),
  ],
  ["has a title", ({ headers }) => within(headers["Title"], 4_096)],
  ["has tags without spaces", ({ headers }) => /^[\w-]+(,[\w-]+)*$/.test(headers["Tags"] ?? "")],
  [
    "opens a web address when it is pressed",
    ({ headers }) => headers["Click"] === undefined || isWebAddress(headers["Click"], 2_048),
  ],
  [
    "has at most three actions, each with a kind, a label and an address",
    ({ headers }) => {
      const actions = headers["Actions"]?.split(";") ?? [];
      return (
        actions.length <= 3 &&
        actions.every((one) => /^view, [^,]+, https?:\/\/[^ ,;]+$/.test(one.trim()))
      );
    },
  ],
  [
    "has no other headers",
    ({ headers }) => onlyHas(headers, ["Content-Type", "Title", "Tags", "Click", "Actions"]),
  ],
];

const RULES = { slack: SLACK, discord: DISCORD, ntfy: NTFY } as const;

export type Channel = keyof typeof RULES;
export const CHANNELS = Object.keys(RULES) as readonly Channel[];

export const channelProblems = (channel: Channel, message: Message): readonly string[] =>
  problems(RULES[channel], message);
