/** `…/openai-agents`: conversations of the OpenAI Agents SDK in Baton. */
export { BatonSession, type BatonSessionOptions } from "./session";
export type { HistoryMutationArgs, HistoryTransaction, HistoryTransactionArgs } from "./protocol";
