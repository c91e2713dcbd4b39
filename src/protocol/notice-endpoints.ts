/** Routes of the endpoints that notices of a session are posted to. */
import * as z from "zod";
import { NOTICE_TYPES, type NoticeType } from "../domain/notices/catalogue";
import { SHOWN_FORMATS } from "../domain/notices/formats";
import { type Endpoint, TOKEN, WRITE, reads, writes, writtenWith } from "./endpoint";
import {
  addEndpointBody,
  changeEndpointBody,
  deliveriesQuery,
  replayBody,
} from "./notice-requests";
import { timestamp } from "./session";

export const endpointSchema = z
  .object({
    id: z.string().describe("end_…"),
    origin: z.string().describe("The only part of the address that is shown"),
    notices: z.array(z.enum(NOTICE_TYPES as [NoticeType, ...NoticeType[]])),
    format: z.enum(SHOWN_FORMATS).describe("mcp: a subscription that was made over MCP"),
    labels: z.record(z.string(), z.string()),
    status: z.enum(["active", "suspended", "ended"]),
    createdAt: timestamp,
  })
  .meta({ id: "NoticeEndpoint" });

const deliverySchema = z
  .object({
    id: z.string().describe("dlv_…"),
    webhookId: z.string().describe("The header webhook-id of all its attempts"),
    seq: z.int().describe("The place of its event in the session's log"),
    type: z.string(),
    status: z.enum(["pending", "delivered", "given_up"]),
    nextAttemptAt: timestamp.optional(),
    attempts: z
      .array(
        z.object({
          at: timestamp,
          status: z.int().describe("Status of the response").optional(),
          error: z.string().describe("Why there was no response").optional(),
        }),
      )
      .describe("The last 20, oldest first"),
  })
  .meta({ id: "Delivery" });

export const secret = z.string().describe("whsec_…: signs deliveries; shown only once");
export const deliveries = z.object({
  deliveries: z.array(deliverySchema),
  nextCursor: z.int().nullable(),
});
const PATH = "/sessions/{ref}/endpoints";
const ONE = `${PATH}/{endpointId}`;
const TAG = "Notices";

export const noticeEndpoints = {
  addEndpoint: {
    ...writes("Register an address that notices are posted to", TAG),
    path: PATH,
    body: addEndpointBody,
    answers: {
      201: {
        description: "Registered",
        schema: writtenWith("EndpointAdded", { endpoint: endpointSchema, secret }),
      },
    },
    failures: [...WRITE, "not_configured"],
  },
  listEndpoints: {
    ...reads(
      "The endpoints of the session; needs own",
      TAG,
      "The endpoints",
      z.object({ endpoints: z.array(endpointSchema) }).meta({ id: "Endpoints" }),
    ),
    path: PATH,
  },
  getEndpoint: {
    ...reads(
      "One endpoint",
      TAG,
      "The endpoint",
      z.object({ endpoint: endpointSchema }).meta({ id: "EndpointShown" }),
    ),
    path: ONE,
    failures: [...TOKEN, "not_found"],
  },
  changeEndpoint: {
    ...writes("Change an endpoint, or begin anew after a suspension", TAG),
    method: "patch",
    path: ONE,
    body: changeEndpointBody,
    answers: {
      200: {
        description: "Changed",
        schema: writtenWith("EndpointChanged", { endpoint: endpointSchema }),
      },
    },
    failures: [...WRITE, "not_found", "not_configured"],
  },
  removeEndpoint: {
    ...writes("Remove an endpoint with its deliveries", TAG),
    method: "delete",
    path: ONE,
    failures: [...WRITE, "not_found"],
  },
  rotateEndpoint: {
    ...writes("Draw a new secret; the one before it signs too for a day", TAG),
    path: `${ONE}/rotate`,
    answers: {
      200: {
        description: "Rotated",
        schema: writtenWith("EndpointRotated", { endpoint: endpointSchema, secret }),
      },
    },
    failures: [...WRITE, "not_found", "not_configured"],
  },
  listDeliveries: {
    ...reads(
      "Deliveries with their attempts, newest first",
      TAG,
      "Deliveries",
      deliveries.meta({ id: "Deliveries" }),
    ),
    path: `${ONE}/deliveries`,
    query: deliveriesQuery,
    failures: [...TOKEN, "not_found"],
  },
  replayDeliveries: {
    ...writes("Send deliveries again: one, or all since a time", TAG),
    path: `${ONE}/replay`,
    body: replayBody,
    failures: [...WRITE, "not_found"],
  },
} as const satisfies Record<string, Endpoint>;
