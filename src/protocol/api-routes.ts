/**
 * Every route of the API as data: its input, its responses and its failures. The HTTP face binds a
 * handler to each route, and OpenAPI is generated from this table. A route that is not here does not exist.
 */
import { automationRoutes } from "./automation-routes";
import { documentRoutes, privateValueRoutes } from "./document-routes";
import { evidenceRoutes } from "./evidence-routes";
import { fileRoutes } from "./file-routes";
import { handoffRoutes } from "./handoff-routes";
import { jobRoutes } from "./job-routes";
import { leaseRoutes } from "./lease-routes";
import { logRoutes } from "./log-routes";
import { noticeRoutes } from "./notice-routes";
import { ownerRoutes } from "./owner-routes";
import { ownerNoticeRoutes } from "./owner-notice-routes";
import { sessionRoutes } from "./session-routes";
import { templateRoutes } from "./template-routes";
import type { ApiRoute } from "./api-route";

export const API_ROUTES = {
  ...sessionRoutes,
  ...documentRoutes,
  ...privateValueRoutes,
  ...logRoutes,
  ...evidenceRoutes,
  ...handoffRoutes,
  ...fileRoutes,
  ...automationRoutes,
  ...jobRoutes,
  ...leaseRoutes,
  ...noticeRoutes,
  ...ownerRoutes,
  ...templateRoutes,
  ...ownerNoticeRoutes,
} as const satisfies Record<string, ApiRoute>;

export type ApiRouteId = keyof typeof API_ROUTES;

export const apiRouteEntries = Object.entries(API_ROUTES) as readonly [ApiRouteId, ApiRoute][];
