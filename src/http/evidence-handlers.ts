/** Exports, proofs and receipts over HTTP. */
import { answerExport } from "../gateway/download";
import { Evidence } from "../gateway/evidence";
import { answerReceiptPage } from "../print/receipt-page";
import { answerJson } from "./answers";
import { CROSS_ORIGIN } from "./cross-origin";
import { answerReply, answerRefusal, type SomeHandlers } from "./handler";

export const evidenceHandlers = {
  async exportSession({ use, principal, query }) {
    const reply = await use(Evidence).export(principal, query.files === "true");
    return reply.ok
      ? answerExport(principal.sessionId, reply.value, CROSS_ORIGIN)
      : answerRefusal(reply);
  },

  async getProof({ use, principal, query }) {
    const reply = await use(Evidence).proof(principal, query.seq);
    return answerReply(reply, (proof) => ({ proof }));
  },

  async getReceipt({ use, principal, headers }) {
    const reply = await use(Evidence).receipt(principal);
    if (!reply.ok) return answerRefusal(reply);
    return headers.get("Accept")?.includes("text/html") === true
      ? answerReceiptPage(reply.value, String(reply.value["url"]))
      : answerJson(200, { receipt: reply.value });
  },
} satisfies SomeHandlers;
