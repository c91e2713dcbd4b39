/** A model of the OpenAI Agents SDK that answers "turn 7" with "answer 7", after a moment. */
import { setTimeout as sleep } from "node:timers/promises";
import { Usage } from "@openai/agents";

const textOf = (item) =>
  typeof item.content === "string" ? item.content : item.content.map(({ text }) => text).join("");

export class FakeModel {
  async getResponse({ input }) {
    const items = typeof input === "string" ? [{ role: "user", content: input }] : input;
    const prompt = textOf(items.findLast(({ role }) => role === "user"));
    await sleep(Math.random() * 20);
    const text = prompt.replace("turn", "answer");
    return {
      usage: new Usage({ requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 }),
      output: [
        {
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text }],
        },
      ],
    };
  }

  getStreamedResponse() {
    throw new Error("streaming is not used");
  }
}

export { textOf };
