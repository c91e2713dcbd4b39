/** Where notices of all sessions of an owner are posted: the same routes as for one session, by a key. */
import * as z from "zod";
import { BODY, type Endpoint } from "./endpoint";
import { deliveries, endpointSchema, secret } from "./notice-endpoints";
import {
  addEndpointBody,
  changeEndpointBody,
  deliveriesQuery,
  replayBody,
} from "./notice-requests";
import { byKey, KEY, readsByKey } from "./owner-endpoints";

const PATH = "/endpoints";
const ONE = `${PATH}/{endpointId}`;
const manages = { ...byKey, right: "manage" } as const;
const one = z.object({ endpoint: endpointSchema }).meta({ id: "OwnerEndpointShown" });
const withSecret = z
  .object({ endpoint: endpointSchema, secret })
  .meta({ id: "OwnerEndpointWithSecret" });

export const ownerNoticeEndpoints = {
  addOwnerEndpoint: {
    ...manages,
    method: "post",
    path: PATH,
    summary: "Register an address for notices of all the owner's sessions",
    body: addEndpointBody,
    answers: { 201: { description: "Registered", schema: withSecret } },
    failures: [...KEY, ...BODY],
  },
  listOwnerEndpoints: {
    ...readsByKey(
      "The owner's endpoints, oldest first",
      "The endpoints",
      z.object({ endpoints: z.array(endpointSchema) }).meta({ id: "OwnerEndpoints" }),
    ),
    ...manages,
    path: PATH,
  },
  getOwnerEndpoint: {
    ...readsByKey("One endpoint of the owner", "The endpoint", one),
    ...manages,
    path: ONE,
    failures: [...KEY, "not_found"],
  },
  changeOwnerEndpoint: {
    ...manages,
    method: "patch",
    path: ONE,
    summary: "Change an endpoint of the owner, or end its suspension",
    body: changeEndpointBody,
    answers: { 200: { description: "Changed", schema: one } },
    failures: [...KEY, ...BODY, "not_found"],
  },
  removeOwnerEndpoint: {
    ...manages,
    method: "delete",
    path: ONE,
    summary: "Remove an endpoint of the owner with its deliveries",
    answers: { 200: { description: "Removed", schema: one } },
    failures: [...KEY, "not_found"],
  },
  rotateOwnerEndpoint: {
    ...manages,
    method: "post",
    path: `${ONE}/rotate`,
    summary: "Create a new secret; the old one also signs for a day",
    answers: { 200: { description: "Rotated", schema: withSecret } },
    failures: [...KEY, "not_found"],
  },
  listOwnerDeliveries: {
    ...readsByKey(
      "Deliveries of an owner's endpoint with their attempts, newest first",
      "Deliveries",
      deliveries.meta({ id: "OwnerDeliveries" }),
    ),
    ...manages,
    path: `${ONE}/deliveries`,
    query: deliveriesQuery,
    failures: [...KEY, "not_found"],
  },
  replayOwnerDeliveries: {
    ...manages,
    method: "post",
    path: `${ONE}/replay`,
    summary: "Send deliveries of an owner's endpoint again: one, or all since a time",
    body: replayBody,
    answers: { 200: { description: "They will be sent", schema: one } },
    failures: [...KEY, ...BODY, "not_found"],
  },
} as const satisfies Record<string, Endpoint>;
