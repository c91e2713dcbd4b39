/** Routes of the document and of its review. */
import * as z from "zod";
import {
  okResponse,
  VERSIONED_WRITE_FAILURES,
  postRoute,
  readRoute,
  tokenOrKeyWriteRoute,
  WRITE_FAILURES,
  writeRoute,
  type ApiRoute,
} from "./api-route";
import { provenWriteRoute } from "./evidence-routes";
import { matchesSetFieldsFastPath } from "./body-fast-path";
import { emptyBody, reasonBody } from "./session-requests";
import * as requests from "./document-requests";
import { anyJson, fieldErrors, sessionSchema } from "./session-schemas";
import { namedSchema } from "./named-schemas";

export const documentRoutes = {
  setFields: {
    ...tokenOrKeyWriteRoute("Set fields, title and next step", "Document"),
    method: "patch",
    path: "/sessions/{ref}",
    body: requests.setFieldsBody,
    matchesFastPath: matchesSetFieldsFastPath,
    failures: [...VERSIONED_WRITE_FAILURES, "invalid_fields"],
  },
  validate: {
    ...postRoute(
      "Check whether a submit with these fields would succeed; changes nothing",
      "Document",
    ),
    path: "/sessions/{ref}/validate",
    body: requests.validateBody,
    responses: okResponse(
      "The verdict",
      namedSchema("Validation", {
        valid: z.boolean(),
        errors: fieldErrors,
        session: sessionSchema,
      }),
    ),
  },
  requestInput: {
    ...writeRoute("Ask for input", "Document", VERSIONED_WRITE_FAILURES),
    path: "/sessions/{ref}/request-input",
    body: requests.requestInputBody,
  },
  submit: {
    ...provenWriteRoute("Validate the whole document and submit it", "Review"),
    path: "/sessions/{ref}/submit",
    body: emptyBody,
    failures: [...VERSIONED_WRITE_FAILURES, "missing_fields", "invalid_fields"],
  },
  approve: {
    ...provenWriteRoute("Approve", "Review", VERSIONED_WRITE_FAILURES),
    path: "/sessions/{ref}/approve",
    body: requests.commentBody,
  },
  reject: {
    ...writeRoute("Reject", "Review", VERSIONED_WRITE_FAILURES),
    path: "/sessions/{ref}/reject",
    body: reasonBody,
  },
  requestChanges: {
    ...writeRoute("Ask for changes, field by field", "Review", VERSIONED_WRITE_FAILURES),
    path: "/sessions/{ref}/request-changes",
    body: requests.requestChangesBody,
  },
} as const satisfies Record<string, ApiRoute>;

/** A private value. Everywhere else only its hash is shown. */
const privateValue = namedSchema("PrivateValue", {
  field: z.string(),
  value: anyJson,
  salt: z.string().describe("32 random bytes in hex, for this value only"),
  hash: z
    .string()
    .describe("SHA-256 in hex over the salt's text and the RFC 8785 JSON of the value"),
});

export const privateValueRoutes = {
  getPrivate: {
    ...readRoute("The value of a private field, with `fill`, `review` or `own`", "Document"),
    path: "/sessions/{ref}/private/{field}",
    responses: okResponse("The value", namedSchema("PrivateAnswer", { private: privateValue })),
    failures: ["not_found"],
  },
  erasePrivate: {
    ...writeRoute("Erase the value of a private field; its hash stays", "Document"),
    method: "delete",
    path: "/sessions/{ref}/private/{field}",
    failures: [...WRITE_FAILURES, "not_found"],
  },
} as const satisfies Record<string, ApiRoute>;
