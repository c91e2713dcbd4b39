/** The Worker's entry: the faces put together, and the object classes the platform looks for here. */
import { createApp } from "./http/app";

export { AgentQueue } from "./object/agent-queue";
export { SessionObject } from "./object/session-object";

export default createApp();
