/** Where notices of all sessions of an owner are posted: the same routes as for one session, by a key. */
import * as z from "zod";
import type { Endpoint } from "./endpoint";
import { deliverySchema, endpointSchema, secret } from "./notice-endpoints";
import {
  addEndpointBody,
  changeEndpointBody,
  deliveriesQuery,
  replayBody,
} from "./notice-requests";
import { KEY } from "./owner-endpoints";

const PATH = "/endpoints";
const ONE = `${PATH}/{endpointId}`;
const BODY = ["too_large", "unsupported_media_type"] as const;
const byKey = { tag: "Owners", who: "key", origins: "own", right: "manage" } as const;
const one = z.object({ endpoint: endpointSchema }).meta({ id: "OwnerEndpointShown" });
const withSecret = z
  .object({ endpoint: endpointSchema, secret })
  .meta({ id: "OwnerEndpointWithSecret" });

export const ownerNoticeEndpoints = {
  addOwnerEndpoint: {
    ...byKey,
    method: "post",
    path: PATH,
    summary: "Register an address for notices of all the owner's sessions",
    body: addEndpointBody,
    answers: { 201: { description: "Registered", schema: withSecret } },
    failures: [...KEY, ...BODY],
  },
  listOwnerEndpoints: {
    ...byKey,
    method: "get",
    path: PATH,
    summary: "The owner's endpoints, oldest first",
    answers: {
      200: {
        description: "The endpoints",
        schema: z.object({ endpoints: z.array(endpointSchema) }).meta({ id: "OwnerEndpoints" }),
      },
    },
    failures: KEY,
  },
  getOwnerEndpoint: {
    ...byKey,
    method: "get",
    path: ONE,
    summary: "One endpoint of the owner",
    answers: { 200: { description: "The endpoint", schema: one } },
    failures: [...KEY, "not_found"],
  },
  changeOwnerEndpoint: {
    ...byKey,
    method: "patch",
    path: ONE,
    summary: "Change an endpoint of the owner, or end its suspension",
    body: changeEndpointBody,
    answers: { 200: { description: "Changed", schema: one } },
    failures: [...KEY, ...BODY, "not_found"],
  },
  removeOwnerEndpoint: {
    ...byKey,
    method: "delete",
    path: ONE,
    summary: "Remove an endpoint of the owner with its deliveries",
    answers: { 200: { description: "Removed", schema: one } },
    failures: [...KEY, "not_found"],
  },
  rotateOwnerEndpoint: {
    ...byKey,
    method: "post",
    path: `${ONE}/rotate`,
    summary: "Create a new secret; the old one also signs for a day",
    answers: { 200: { description: "Rotated", schema: withSecret } },
    failures: [...KEY, "not_found"],
  },
  listOwnerDeliveries: {
    ...byKey,
    method: "get",
    path: `${ONE}/deliveries`,
    summary: "Deliveries of an owner's endpoint with their attempts, newest first",
    query: deliveriesQuery,
    answers: {
      200: {
        description: "Deliveries",
        schema: z
          .object({ deliveries: z.array(deliverySchema), nextCursor: z.int().nullable() })
          .meta({ id: "OwnerDeliveries" }),
      },
    },
    failures: [...KEY, "not_found"],
  },
  replayOwnerDeliveries: {
    ...byKey,
    method: "post",
    path: `${ONE}/replay`,
    summary: "Send deliveries of an owner's endpoint again: one, or all since a time",
    body: replayBody,
    answers: { 200: { description: "They will be sent", schema: one } },
    failures: [...KEY, ...BODY, "not_found"],
  },
} as const satisfies Record<string, Endpoint>;
