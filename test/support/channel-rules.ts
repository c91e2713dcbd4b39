/**
 * The message rules of Slack, Discord and ntfy, as checks on a message.
 * Read in November 2026 in stored copies of docs.slack.dev, of the sources of discord.com/developers/docs
 * and docs.ntfy.sh, and in RFC 2047, which ntfy names. Each rule names its page. Three of Slack were not
 * found there: 50 blocks and 25 elements are as Slack's SDKs and their users report them, the button as
 * in the types of Slack's SDK. The stored messages list the rules
 * that they fulfil, in the same words. If the list of problems is empty, the channel accepts the message.
 */

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of every shape
type Body = any;

export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body: Body;
}

type Rule = readonly [page: string, what: string, holds: (message: Message) => boolean];

const isJson = ({ headers }: Message): boolean => headers["Content-Type"] === "application/json";
const within = (text: unknown, max: number): boolean =>
  typeof text === "string" && text.length >= 1 && text.length <= max;
const isCount = (count: number, max: number): boolean => count >= 1 && count <= max;
const onlyHas = (value: object, names: readonly string[]): boolean =>
  Object.keys(value).every((name) => names.includes(name));
const isWebAddress = (text: unknown): boolean =>
  typeof text === "string" && /^https?:\/\//.test(text);

const isPlainText = (text: Body): boolean =>
  text?.type === "plain_text" &&
  within(text.text, 3_000) &&
  onlyHas(text, ["type", "text", "emoji"]) &&
  (text.emoji === undefined || typeof text.emoji === "boolean");

/** Every text object of a message, at any depth. */
const textsIn = (blocks: readonly Body[]): readonly Body[] =>
  blocks.flatMap(({ text, elements = [] }) => [
    ...(text === undefined ? [] : [text]),
    ...textsIn(elements),
  ]);
const blocksOf = ({ body }: Message, type: string): readonly Body[] =>
  body.blocks.filter((block: Body) => block.type === type);
const buttonsOf = (message: Message): readonly Body[] =>
  blocksOf(message, "actions").flatMap(({ elements }) => elements);

const SLACK: readonly Rule[] = [
  ["messaging/sending-messages-using-incoming-webhooks", "is posted as JSON", isJson],
  [
    "changelog/2018-04-truncating-really-long-messages",
    "text has at most 40,000 characters",
    ({ body }) => within(body.text, 40_000),
  ],
  [
    "messaging/formatting-message-text",
    "& < and > are escaped in text, which is parsed",
    ({ body }) => !/[<>]|&(?!amp;|lt;|gt;)/.test(body.text),
  ],
  [
    "reference/block-kit/blocks",
    "has at most 50 blocks, here header, section and actions",
    ({ body }) =>
      body.blocks.length <= 50 &&
      body.blocks.every(({ type }: Body) => ["header", "section", "actions"].includes(type)),
  ],
  [
    "reference/block-kit/composition-objects/text-object",
    "a text object has a type, 1 to 3,000 characters, and emoji only where it is plain_text",
    ({ body }) => textsIn(body.blocks).every(isPlainText),
  ],
  [
    "reference/block-kit/blocks/header-block",
    "a header is plain_text of at most 150 characters",
    (message) =>
      blocksOf(message, "header").every(
        ({ text }) => text.type === "plain_text" && within(text.text, 150),
      ),
  ],
  [
    "reference/block-kit/blocks/actions-block",
    "an actions block has at most 25 elements",
    (message) => blocksOf(message, "actions").every(({ elements }) => isCount(elements.length, 25)),
  ],
  [
    "reference/block-kit/block-elements/button-element",
    "a button has plain_text of at most 75 characters and a url of at most 3,000",
    (message) =>
      buttonsOf(message).every(
        ({ type, text, url }) =>
          type === "button" && within(text.text, 75) && isWebAddress(url) && within(url, 3_000),
      ),
  ],
];

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** Whitespace at both ends does not count: Discord removes it. */
const trimmed = (text: unknown, max: number): boolean =>
  typeof text === "string" && within(text.trim(), max);
const charactersIn = (embeds: readonly Body[]): number =>
  embeds.reduce(
    (sum, { title = "", description = "" }) => sum + title.length + description.length,
    0,
  );

const DISCORD: readonly Rule[] = [
  ["resources/webhook#execute-webhook", "is posted as JSON", isJson],
  [
    "resources/webhook#execute-webhook",
    "asks with wait=true for an error where the message is not kept",
    ({ query }) => query?.["wait"] === "true",
  ],
  [
    "resources/webhook#execute-webhook",
    "has content or embeds, and at most 10 embeds",
    ({ body }) => isCount(body.embeds?.length ?? 0, 10),
  ],
  [
    "resources/message#embed-object-embed-limits",
    "a title has at most 256 characters",
    ({ body }) => body.embeds.every(({ title }: Body) => trimmed(title, 256)),
  ],
  [
    "resources/message#embed-object-embed-limits",
    "a description has at most 4,096 characters",
    ({ body }) => body.embeds.every(({ description }: Body) => trimmed(description, 4_096)),
  ],
  [
    "resources/message#embed-object-embed-limits",
    "all embeds together have at most 6,000 characters",
    ({ body }) => charactersIn(body.embeds) <= 6_000,
  ],
  [
    "resources/message#embed-object-embed-structure",
    "an embed has a timestamp of ISO 8601 and a web address as url",
    ({ body }) =>
      body.embeds.every(
        ({ timestamp, url, ...rest }: Body) =>
          ISO_TIME.test(timestamp) &&
          (url === undefined || isWebAddress(url)) &&
          onlyHas(rest, ["title", "description"]),
      ),
  ],
  [
    "resources/message#allowed-mentions-object",
    "parse is empty, so that nobody is mentioned; without it users would be",
    ({ body }) => JSON.stringify(body.allowed_mentions) === '{"parse":[]}',
  ],
];

/** A sequence of encoded words and nothing else. */
const ENCODED = /^=\?UTF-8\?B\?[A-Za-z0-9+/]+={0,2}\?=$/;
const isHeaderText = (text: string): boolean =>
  /^[ -~]*$/.test(text) &&
  (!text.includes("=?") ||
    text.split(" ").every((word) => ENCODED.test(word) && word.length <= 75));

const NTFY: readonly Rule[] = [
  [
    "publish/#limitations",
    "has a text of at most 4,096 bytes; a longer one becomes an attachment",
    ({ body }) => within(body, 4_096) && Buffer.byteLength(body) <= 4_096,
  ],
  [
    "publish/#list-of-all-parameters",
    "what is beside the text are headers that ntfy knows",
    ({ headers }) => onlyHas(headers, ["Content-Type", "Title", "Tags", "Click", "Actions"]),
  ],
  [
    "publish/#message-title",
    "a header is ASCII, or encoded words of RFC 2047, each of at most 75 characters",
    ({ headers }) => within(headers["Title"], 4_096) && Object.values(headers).every(isHeaderText),
  ],
  [
    "publish/#tags-emojis",
    "tags are names with commas between them",
    ({ headers }) => /^[\w-]+(,[\w-]+)*$/.test(headers["Tags"] ?? ""),
  ],
  [
    "publish/#click-action",
    "a web address is opened when the message is pressed",
    ({ headers }) => headers["Click"] === undefined || isWebAddress(headers["Click"]),
  ],
  [
    "publish/#action-buttons",
    "has at most three actions, of view each with a label and a url",
    ({ headers }) => {
      const actions = headers["Actions"]?.split(";") ?? [];
      return (
        actions.length <= 3 &&
        actions.every((one) => /^view, [^,]+, https?:\/\/[^ ,;]+$/.test(one.trim()))
      );
    },
  ],
];

const RULES = { slack: SLACK, discord: DISCORD, ntfy: NTFY } as const;

export type Channel = keyof typeof RULES;
export const CHANNELS = Object.keys(RULES) as readonly Channel[];

/** The rules as texts, as the stored messages list them. */
export const rulesOf = (channel: Channel): readonly string[] =>
  RULES[channel].map(([page, what]) => `${what} (${page})`);

export const channelProblems = (channel: Channel, message: Message): readonly string[] =>
  (RULES[channel] as readonly Rule[])
    .filter(([, , holds]) => !holds(message))
    .map(([, what]) => what);
