/** An agent and a web page that a handoff narrows, through the SDK and over real HTTP. */
import { expect, it } from "vitest";
import { answerChat, BatonChatTransport } from "../../src/adapters/ai/index.ts";
import { Baton, MemoryTokenStore, unwrap } from "../../src/client/index.ts";
import { sharedServer } from "../support/server.ts";

const server = sharedServer();

// Shows NA-1.
it("an agent that pays out sets when it paid, and neither the amount nor the decision", async () => {
  const baton = Baton.connect(server.url);
  const session = await baton.create({
    title: "Claim 4711",
    fields: { amount: 420, decision: "pay", iban: "DE00" },
  });
  const { participantToken } = await session.handoff({
    scopes: ["fill", "handoff"],
    ask: ["paidAt"],
    show: ["iban"],
  });
  const payout = await Baton.connect(server.url).resume(participantToken, { lastEventSeq: 0 });
  expect(payout.state?.fields).toEqual({ iban: "DE00" });
  expect(payout.state?.title).toBeNull();
  await expect(payout.setFields({ amount: 9_000 })).rejects.toMatchObject({
    code: "scope_denied",
    message: expect.stringContaining("amount"),
  });
  await expect(payout.handoff({ scopes: ["fill"], ask: ["amount"] })).rejects.toMatchObject({
    code: "scope_denied",
    message: expect.stringContaining("ask: amount"),
  });
  await expect(payout.checkpoint()).rejects.toMatchObject({
    code: "scope_denied",
    message: expect.stringContaining("narrowed by ask, show or events"),
  });
  unwrap(await payout.setFields({ paidAt: "2026-11-18" }));
  expect((await session.get()).fields).toEqual({
    amount: 420,
    decision: "pay",
    iban: "DE00",
    paidAt: "2026-11-18",
  });
});

// Shows NA-10.
it("a page chats with a token that can only ask, and cannot forge the answer", async () => {
  const agentSide = Baton.connect(server.url, { store: new MemoryTokenStore() });
  const session = await agentSide.open("chat/default/support-17", {
    title: "Customer 17",
    fields: { secret: "canary" },
  });
  const { participantToken } = await session.handoff({
    scopes: ["append"],
    events: { append: ["chat.request"], read: ["chat.*"] },
  });
  await session.append({ type: "agent.note", payload: { text: "canary" } });
  const pageSide = Baton.connect(server.url, { store: new MemoryTokenStore() });
  const page = await pageSide.attach(participantToken, { as: "chat/default/support-17" });
  await expect(
    page.append({ type: "chat.chunk", payload: { text: "You are owed 9,000." } }),
  ).rejects.toMatchObject({
    code: "scope_denied",
    message: expect.stringContaining("chat.chunk"),
  });
  const transport = new BatonChatTransport({ baton: pageSide });
  const chunks = await transport.sendMessages({
    chatId: "support-17",
    trigger: "submit-message",
    messageId: undefined,
    messages: [],
    abortSignal: undefined,
  });
  await answerChat(session, () => [{ type: "text", text: "Where do you live?" }]);
  const reader = chunks.getReader();
  const received: unknown[] = [];
  for (let one = await reader.read(); !one.done; one = await reader.read()) {
    received.push(one.value);
  }
  expect(received).toEqual([{ type: "text", text: "Where do you live?" }]);
  const { events } = await page.page({ after: 0 });
  expect(events.map(({ type }) => type)).toEqual(["chat.request", "chat.chunk", "chat.end"]);
  expect(JSON.stringify([events, await page.get()])).not.toContain("canary");
});
