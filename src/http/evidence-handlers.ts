/** Exports, proofs and receipts over HTTP. */
import type { JsonObject } from "../domain/json";
import { answerReceiptPage } from "../print/receipt-page";
import { EVENT_LINES } from "../protocol/media";
import { answerJson } from "./answers";
import { CROSS_ORIGIN } from "./cross-origin";
import { refused, type SomeHandlers } from "./handler";

export const evidenceHandlers = {
  async exportSession({ evidence, presented, query }) {
    const reply = await evidence.export(presented, query.files === "true");
    if (!reply.ok) return refused(reply);
    const headers = {
      ...CROSS_ORIGIN,
      "Content-Type": EVENT_LINES,
      "Cache-Control": "no-store",
      "Content-Disposition": `attachment; filename="${presented.sessionId}.ndjson"`,
    };
    return new Response(streamOf(reply.value), { headers });
  },

  async getProof({ evidence, presented, query }) {
    const reply = await evidence.proof(presented, query.seq);
    return reply.ok ? answerJson(200, { proof: reply.value }) : refused(reply);
  },

  async getReceipt({ evidence, presented, headers }) {
    const reply = await evidence.receipt(presented);
    if (!reply.ok) return refused(reply);
    return headers.get("Accept")?.includes("text/html") === true
      ? answerReceiptPage(reply.value, addressOf(reply.value))
      : answerJson(200, { receipt: reply.value });
  },
} satisfies SomeHandlers;

const addressOf = (receipt: JsonObject): string => String(receipt["url"]);

/** The next piece is made when the client has taken the last one. */
function streamOf(pieces: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done === true) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
    },
    { highWaterMark: 0 },
  );
}
