/** Exports, proofs and receipts over HTTP. */
import { answerExport } from "../gateway/download";
import { Evidence } from "../gateway/evidence";
import { answerReceiptPage } from "../print/receipt-page";
import { answerJson } from "./answers";
import { CROSS_ORIGIN } from "./cross-origin";
import { answered, refused, type SomeHandlers } from "./handler";

export const evidenceHandlers = {
  async exportSession({ use, presented, query }) {
    const reply = await use(Evidence).export(presented, query.files === "true");
    return reply.ok ? answerExport(presented.sessionId, reply.value, CROSS_ORIGIN) : refused(reply);
  },

  async getProof({ use, presented, query }) {
    const reply = await use(Evidence).proof(presented, query.seq);
    return answered(reply, (proof) => ({ proof }));
  },

  async getReceipt({ use, presented, headers }) {
    const reply = await use(Evidence).receipt(presented);
    if (!reply.ok) return refused(reply);
    return headers.get("Accept")?.includes("text/html") === true
      ? answerReceiptPage(reply.value, String(reply.value["url"]))
      : answerJson(200, { receipt: reply.value });
  },
} satisfies SomeHandlers;
