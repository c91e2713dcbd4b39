/** `…/ai`: chats and streams of the Vercel AI SDK in Baton. */
export { answerChat, type AnswerContext } from "./answer";
export { createResumableStreamContext } from "./resumable-streams";
export type { ResumableStreamContext, ResumableStreamOptions } from "./resumable-streams";
export { BatonChatTransport, type BatonChatTransportOptions } from "./transport";
