/** Routes of the endpoints that notices of a session are posted to. */
import * as z from "zod";
import { SHOWN_FORMATS } from "../domain/notices/formats";
import { done, made, reads, resumeToken, WRITE, writes, type Endpoint } from "./endpoint";
import * as requests from "./notice-requests";
import { shownSchema, timestamp } from "./session";
import { named } from "./shapes";

const attempt = {
  at: timestamp,
  status: z.int().describe("Status of the response").optional(),
  error: z.string().describe("Why there was no response").optional(),
};

export const endpointSchema = named("NoticeEndpoint", {
  id: z.string().describe("end_…"),
  origin: z.string().describe("The only part of the address that is shown"),
  notices: z.array(requests.noticeType),
  format: z.enum(SHOWN_FORMATS).describe("mcp: a subscription that was made over MCP"),
  labels: z.record(z.string(), z.string()),
  status: z.enum(["active", "suspended", "ended"]),
  createdAt: timestamp,
  failing: z
    .object({ since: timestamp, ...attempt })
    .describe("Of an owner's endpoint: no attempt has succeeded since then; the last attempt")
    .optional(),
});

const deliverySchema = named("Delivery", {
  id: z.string().describe("dlv_…"),
  webhookId: z.string().describe("The header webhook-id of all its attempts"),
  seq: z.int().describe("The place of its event in the session's log"),
  type: z.string(),
  status: z.enum(["pending", "delivered", "given_up"]),
  nextAttemptAt: timestamp.optional(),
  attempts: z.array(z.object(attempt)).describe("The last 20, oldest first"),
});

export const deliveryPage = {
  deliveries: z.array(deliverySchema),
  nextCursor: z.int().nullable(),
};
export const secret = z.string().describe("whsec_…: signs deliveries; shown only once");
const shown = { session: shownSchema, resumeToken, endpoint: endpointSchema };
const PATH = "/sessions/{ref}/endpoints";
const TAG = "Notices";

export const noticeEndpoints = {
  addEndpoint: {
    ...writes("Register an address that notices are posted to", TAG),
    path: PATH,
    body: requests.addEndpointBody,
    answers: made("Registered", named("EndpointAdded", { ...shown, secret })),
    failures: [...WRITE, "not_configured"],
  },
  listEndpoints: {
    ...reads("The endpoints of the session; needs own", TAG),
    path: PATH,
    answers: done("The endpoints", named("Endpoints", { endpoints: z.array(endpointSchema) })),
  },
  getEndpoint: {
    ...reads("One endpoint", TAG),
    path: `${PATH}/{endpointId}`,
    answers: done("The endpoint", named("EndpointShown", { endpoint: endpointSchema })),
    failures: ["not_found"],
  },
  changeEndpoint: {
    ...writes("Change an endpoint, or end its suspension", TAG),
    method: "patch",
    path: `${PATH}/{endpointId}`,
    body: requests.changeEndpointBody,
    answers: done("Changed", named("EndpointChanged", shown)),
    failures: [...WRITE, "not_found", "not_configured"],
  },
  removeEndpoint: {
    ...writes("Remove an endpoint with its deliveries", TAG),
    method: "delete",
    path: `${PATH}/{endpointId}`,
    failures: [...WRITE, "not_found"],
  },
  rotateEndpoint: {
    ...writes("Create a new secret; the old one also signs for a day", TAG),
    path: `${PATH}/{endpointId}/rotate`,
    answers: done("Rotated", named("EndpointRotated", { ...shown, secret })),
    failures: [...WRITE, "not_found", "not_configured"],
  },
  listDeliveries: {
    ...reads("Deliveries with their attempts, newest first", TAG),
    path: `${PATH}/{endpointId}/deliveries`,
    query: requests.deliveriesQuery,
    answers: done("Deliveries", named("Deliveries", deliveryPage)),
    failures: ["not_found"],
  },
  replayDeliveries: {
    ...writes("Send deliveries again: one, or all since a time", TAG),
    path: `${PATH}/{endpointId}/replay`,
    body: requests.replayBody,
    failures: [...WRITE, "not_found"],
  },
} as const satisfies Record<string, Endpoint>;
