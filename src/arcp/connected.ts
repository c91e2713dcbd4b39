/** What the requests of a connection act on and answer through. */
import type { ArcpGateway, Bearer, Taken } from "../gateway/arcp-gateway";
import type { Gateway } from "../gateway/gateway";
import type { JobGateway } from "../gateway/job-gateway";
import type { Outgoing } from "./outgoing";
import type { Watchers } from "./watchers";

export interface Gateways {
  readonly sessions: Gateway;
  readonly jobs: JobGateway;
  readonly arcp: ArcpGateway;
}

export interface Connected {
  readonly gateways: Gateways;
  readonly taken: Taken;
  readonly bearer: Bearer | null;
  readonly watchers: Watchers;
  send(frame: Outgoing): void;
  close(reason: string): void;
}
