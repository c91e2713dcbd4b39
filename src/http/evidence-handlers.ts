/** Exports, proofs and receipts over HTTP. */
import type { JsonObject } from "../domain/json";
import { answerExport } from "../gateway/download";
import { answerReceiptPage } from "../print/receipt-page";
import { answerJson } from "./answers";
import { CROSS_ORIGIN } from "./cross-origin";
import { answered, refused, type SomeHandlers } from "./handler";

export const evidenceHandlers = {
  async exportSession({ evidence, presented, query }) {
    const reply = await evidence.export(presented, query.files === "true");
    return reply.ok ? answerExport(presented.sessionId, reply.value, CROSS_ORIGIN) : refused(reply);
  },

  async getProof({ evidence, presented, query }) {
    const reply = await evidence.proof(presented, query.seq);
    return answered(reply, (proof) => ({ proof }));
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
