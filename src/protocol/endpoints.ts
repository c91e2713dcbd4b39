/**
 * Every route as data: what it takes, what it answers, how it can fail. The HTTP face binds a handler
 * to each, OpenAPI is written from it, and a route that is not here does not exist.
 */
import { automationEndpoints } from "./automation-endpoints";
import { documentEndpoints, privateEndpoints } from "./document-endpoints";
import { evidenceEndpoints } from "./evidence-endpoints";
import { fileEndpoints } from "./file-endpoints";
import { handoffEndpoints } from "./handoff-endpoints";
import { jobEndpoints } from "./job-endpoints";
import { logEndpoints } from "./log-endpoints";
import { noticeEndpoints } from "./notice-endpoints";
import { ownerEndpoints } from "./owner-endpoints";
import { ownerNoticeEndpoints } from "./owner-notice-endpoints";
import { sessionEndpoints } from "./session-endpoints";
import { templateEndpoints } from "./template-endpoints";
import type { Endpoint } from "./endpoint";

export const ENDPOINTS = {
  ...sessionEndpoints,
  ...documentEndpoints,
  ...privateEndpoints,
  ...logEndpoints,
  ...evidenceEndpoints,
  ...handoffEndpoints,
  ...fileEndpoints,
  ...automationEndpoints,
  ...jobEndpoints,
  ...noticeEndpoints,
  ...ownerEndpoints,
  ...templateEndpoints,
  ...ownerNoticeEndpoints,
} as const satisfies Record<string, Endpoint>;

export type EndpointId = keyof typeof ENDPOINTS;

export const endpointEntries = Object.entries(ENDPOINTS) as readonly [EndpointId, Endpoint][];
