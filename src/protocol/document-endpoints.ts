/** Routes of the document and of its review. */
import * as z from "zod";
import { done, MOVE, posts, reads, writesByKeyToo, WRITE, writes, type Endpoint } from "./endpoint";
import { proven } from "./evidence-endpoints";
import { isPlainFields } from "./plain-bodies";
import { emptyBody, reasonBody } from "./session-requests";
import * as requests from "./document-requests";
import { anyJson, fieldErrors, sessionSchema } from "./session";
import { named } from "./shapes";

export const documentEndpoints = {
  setFields: {
    ...writesByKeyToo("Set fields, title and next step", "Document"),
    method: "patch",
    path: "/sessions/{ref}",
    body: requests.setFieldsBody,
    isPlain: isPlainFields,
    failures: [...MOVE, "invalid_fields"],
  },
  validate: {
    ...posts("Check whether a submit with these fields would succeed; changes nothing", "Document"),
    path: "/sessions/{ref}/validate",
    body: requests.validateBody,
    answers: done(
      "The verdict",
      named("Validation", { valid: z.boolean(), errors: fieldErrors, session: sessionSchema }),
    ),
  },
  requestInput: {
    ...writes("Ask for input", "Document", MOVE),
    path: "/sessions/{ref}/request-input",
    body: requests.requestInputBody,
  },
  submit: {
    ...proven("Validate the whole document and submit it", "Review"),
    path: "/sessions/{ref}/submit",
    body: emptyBody,
    failures: [...MOVE, "missing_fields", "invalid_fields"],
  },
  approve: {
    ...proven("Approve", "Review", MOVE),
    path: "/sessions/{ref}/approve",
    body: requests.commentBody,
  },
  reject: {
    ...writes("Reject", "Review", MOVE),
    path: "/sessions/{ref}/reject",
    body: reasonBody,
  },
  requestChanges: {
    ...writes("Ask for changes, field by field", "Review", MOVE),
    path: "/sessions/{ref}/request-changes",
    body: requests.requestChangesBody,
  },
} as const satisfies Record<string, Endpoint>;

/** Routes of private values, which stand as hashes everywhere else. */
const privateValue = named("PrivateValue", {
  field: z.string(),
  value: anyJson,
  salt: z.string().describe("32 random bytes in hex, for this value only"),
  hash: z
    .string()
    .describe("SHA-256 in hex over the salt's text and the RFC 8785 JSON of the value"),
});

export const privateEndpoints = {
  getPrivate: {
    ...reads("The value of a private field, with `fill`, `review` or `own`", "Document"),
    path: "/sessions/{ref}/private/{field}",
    answers: done("The value", named("PrivateAnswer", { private: privateValue })),
    failures: ["not_found"],
  },
  erasePrivate: {
    ...writes("Erase the value of a private field; its hash stays", "Document"),
    method: "delete",
    path: "/sessions/{ref}/private/{field}",
    failures: [...WRITE, "not_found"],
  },
} as const satisfies Record<string, Endpoint>;
