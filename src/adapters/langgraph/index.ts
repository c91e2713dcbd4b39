/** `…/langgraph`: threads of LangGraph.js in Baton. Requires `@langchain/langgraph-checkpoint`. */
export { BatonSaver, type BatonSaverOptions } from "./saver";
export { handOffInterrupts, InterruptDeclinedError, InterruptHandoffs } from "./interrupts";
export type { HandedOff, InterruptedGraph, ThreadConfig, WaitForAnswers } from "./interrupts";
export type { InquiryLink, InquiryOptions } from "../inquiry";
