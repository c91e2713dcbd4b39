/** Routes of a session's webhook endpoints, to which its notices are posted. */
import * as z from "zod";
import { ALL_FORMATS } from "../domain/notices/formats";
import {
  okResponse,
  createdResponse,
  readRoute,
  resumeToken,
  WRITE_FAILURES,
  writeRoute,
  type ApiRoute,
} from "./api-route";
import * as requests from "./notice-requests";
import { visibleSessionSchema, timestamp } from "./session-schemas";
import { namedSchema } from "./named-schemas";

const attempt = {
  at: timestamp,
  status: z.int().describe("Status of the response").optional(),
  error: z.string().describe("Why there was no response").optional(),
};

export const endpointSchema = namedSchema("NoticeEndpoint", {
  id: z.string().describe("end_…"),
  origin: z.string().describe("The only part of the address that is shown"),
  notices: z.array(requests.noticeType),
  format: z.enum(ALL_FORMATS).describe("mcp: a subscription that was made over MCP"),
  labels: z.record(z.string(), z.string()),
  status: z.enum(["active", "suspended", "ended"]),
  createdAt: timestamp,
  failing: z
    .object({ since: timestamp, ...attempt })
    .describe(
      "For an owner's endpoint: the time since which no attempt has succeeded, and the last attempt",
    )
    .optional(),
});

const deliverySchema = namedSchema("Delivery", {
  id: z.string().describe("dlv_…"),
  webhookId: z.string().describe("The header webhook-id of all its attempts"),
  seq: z.int().describe("The seq of its event in the session's log"),
  type: z.string(),
  status: z.enum(["pending", "delivered", "given_up"]),
  nextAttemptAt: timestamp.optional(),
  attempts: z.array(z.object(attempt)).describe("The last 20 attempts, oldest first"),
});

export const deliveryPage = {
  deliveries: z.array(deliverySchema),
  nextCursor: z.int().nullable(),
};
export const secret = z.string().describe("whsec_…: signs deliveries; shown only once");
const shown = { session: visibleSessionSchema, resumeToken, endpoint: endpointSchema };
const PATH = "/sessions/{ref}/endpoints";
const TAG = "Notices";

export const noticeRoutes = {
  addEndpoint: {
    ...writeRoute("Register an endpoint that notices are posted to", TAG),
    path: PATH,
    body: requests.addEndpointBody,
    responses: createdResponse("Registered", namedSchema("EndpointAdded", { ...shown, secret })),
    failures: [...WRITE_FAILURES, "not_configured"],
  },
  listEndpoints: {
    ...readRoute("The endpoints of the session; needs own", TAG),
    path: PATH,
    responses: okResponse(
      "The endpoints",
      namedSchema("Endpoints", { endpoints: z.array(endpointSchema) }),
    ),
  },
  getEndpoint: {
    ...readRoute("One endpoint", TAG),
    path: `${PATH}/{endpointId}`,
    responses: okResponse(
      "The endpoint",
      namedSchema("EndpointShown", { endpoint: endpointSchema }),
    ),
    failures: ["not_found"],
  },
  changeEndpoint: {
    ...writeRoute("Change an endpoint, or end its suspension", TAG),
    method: "patch",
    path: `${PATH}/{endpointId}`,
    body: requests.changeEndpointBody,
    responses: okResponse("Changed", namedSchema("EndpointChanged", shown)),
    failures: [...WRITE_FAILURES, "not_found", "not_configured"],
  },
  removeEndpoint: {
    ...writeRoute("Remove an endpoint with its deliveries", TAG),
    method: "delete",
    path: `${PATH}/{endpointId}`,
    failures: [...WRITE_FAILURES, "not_found"],
  },
  rotateEndpoint: {
    ...writeRoute(
      "Create a new signing secret; for one day, deliveries are signed with the old one too",
      TAG,
    ),
    path: `${PATH}/{endpointId}/rotate`,
    responses: okResponse("Rotated", namedSchema("EndpointRotated", { ...shown, secret })),
    failures: [...WRITE_FAILURES, "not_found", "not_configured"],
  },
  listDeliveries: {
    ...readRoute("Deliveries with their attempts, newest first", TAG),
    path: `${PATH}/{endpointId}/deliveries`,
    query: requests.deliveriesQuery,
    responses: okResponse("Deliveries", namedSchema("Deliveries", deliveryPage)),
    failures: ["not_found"],
  },
  replayDeliveries: {
    ...writeRoute("Send deliveries again: one, or all since a time", TAG),
    path: `${PATH}/{endpointId}/replay`,
    body: requests.replayBody,
    failures: [...WRITE_FAILURES, "not_found"],
  },
} as const satisfies Record<string, ApiRoute>;
