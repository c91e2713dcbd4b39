/** `…/langgraph`: threads of LangGraph.js in Baton. Needs `@langchain/langgraph-checkpoint` beside it. */
export { BatonSaver, type BatonSaverOptions } from "./saver";
