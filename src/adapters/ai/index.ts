/** `…/ai`: chats and streams of the Vercel AI SDK in Baton. */
export { answerChat, type AnswerContext } from "./answer";
export {
  createResumableStreamContext,
  type ResumableStreamContext,
  type ResumableStreamOptions,
} from "./resumable-streams";
export { BatonChatTransport, type BatonChatTransportOptions } from "./transport";
