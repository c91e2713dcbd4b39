import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionId } from "../../../src/domain/ids.ts";
import { LIMITS } from "../../../src/domain/limits.ts";
import { NOTICE_TYPES } from "../../../src/domain/notices/catalogue.ts";
import { renderNotice } from "../../../src/domain/notices/formats.ts";
import type { Notice } from "../../../src/domain/notices/notice.ts";
import {
  CHANNELS,
  channelProblems,
  rulesOf,
  type Channel,
  type Message,
} from "../../support/channel-rules.ts";

const LINK = "https://baton.example/h/ABCD-EFGH-JKMN";
const recordedMessage = (channel: Channel): Message & { readonly holds: readonly string[] } =>
  JSON.parse(readFileSync(join(import.meta.dirname, "messages", `${channel}.json`), "utf8"));

const noticeOf = (type: Notice["type"], title: string): Notice => ({
  type,
  timestamp: "2026-11-16T09:00:00.000Z",
  data: {
    sessionId: `ses_${"A".repeat(43)}` as SessionId,
    seq: 8,
    state: "in_progress",
    waiting: { for: "person", since: "2026-11-16T09:00:00.000Z" },
    title,
    labels: {},
    actor: { kind: "agent", id: "intake" },
    participant: "par_1",
  },
});

function renderMessage(channel: Channel, notice: Notice, link: string | null): Message {
  const { headers, body, query } = renderNotice(channel, notice, link);
  return {
    headers,
    ...(query === undefined ? {} : { query }),
    body: headers["Content-Type"] === "application/json" ? JSON.parse(body) : body,
  };
}

/** One encoded word, longer than RFC 2047 allows. */
const LONG_WORD = `=?UTF-8?B?${btoa("x".repeat(60))}?=`;

/** Titles that could break a channel's rules: long, many bytes, control sequences, mentions. */
const TITLES = [
  "Oak",
  "x".repeat(LIMITS.titleLength),
  "😀".repeat(LIMITS.titleLength / 2),
  "<!channel> & <https://evil.example|click> @everyone *bold* `code`",
  "*".repeat(LIMITS.titleLength),
  "two\nlines\tand\u0007",
  "=?UTF-8?B?Cg==?=",
  "Straße 😀 ".repeat(20),
  " ",
];

describe.each(CHANNELS)("a message for %s", (channel) => {
  it("is recorded as it is posted, names the rules it follows, and is valid for the channel", () => {
    expect(recordedMessage(channel).holds).toEqual(rulesOf(channel));
    expect(channelProblems(channel, recordedMessage(channel))).toEqual([]);
  });

  it.each(NOTICE_TYPES)("of %s is valid for the channel, whatever the title", (type) => {
    for (const title of TITLES) {
      for (const link of [LINK, null]) {
        const message = renderMessage(channel, noticeOf(type, title), link);
        expect(channelProblems(channel, message), JSON.stringify(message)).toEqual([]);
      }
    }
  });
});

describe("the rules of the channels", () => {
  it.each([
    ["slack", (message) => (message.body.blocks[0].text.text = "x".repeat(151))],
    ["slack", (message) => (message.body.text = "<!channel>")],
    ["slack", (message) => (message.body.blocks[2].elements[0].text.text = "x".repeat(76))],
    ["slack", (message) => (message.body.blocks[1].text.type = "mrkdwn")],
    ["discord", (message) => (message.body.embeds[0].title = "x".repeat(257))],
    ["discord", (message) => (message.body.allowed_mentions.parse = ["everyone"])],
    ["discord", (message) => (message.body.embeds[0].description = " ")],
    ["discord", (message) => (message.body.embeds[0].timestamp = "today")],
    ["discord", (message) => delete (message as { query?: object }).query],
    ["slack", (message) => (message.body.blocks[2].elements[0].url = "javascript:1")],
    ["ntfy", (message) => ((message as { body: string }).body = "x".repeat(4_097))],
    ["ntfy", (message) => ((message.headers as Record<string, string>)["Title"] = "Übung")],
    ["ntfy", (message) => ((message.headers as Record<string, string>)["Title"] = LONG_WORD)],
    ["ntfy", (message) => ((message.headers as Record<string, string>)["Actions"] = "view")],
  ] satisfies readonly (readonly [Channel, (message: Message) => unknown])[])(
    "of %s report an invalid message (%#)",
    (channel, invalidate) => {
      const message = structuredClone(recordedMessage(channel));
      invalidate(message);
      expect(channelProblems(channel, message)).toHaveLength(1);
    },
  );
});
