/** Routes of private values, which stand as hashes everywhere else. */
import * as z from "zod";
import { TOKEN, WRITE, writes, type Endpoint } from "./endpoint";
import { anyJson } from "./session";

const privateValue = z
  .object({
    field: z.string(),
    value: anyJson,
    salt: z.string().describe("32 random bytes in hex, for this value only"),
    hash: z
      .string()
      .describe("SHA-256 in hex over the salt's text and the RFC 8785 JSON of the value"),
  })
  .meta({ id: "PrivateValue" });

export const privateEndpoints = {
  getPrivate: {
    method: "get",
    path: "/sessions/{ref}/private/{field}",
    summary: "The value of a private field, with `fill`, `review` or `own`",
    tag: "Document",
    answers: {
      200: {
        description: "The value",
        schema: z.object({ private: privateValue }).meta({ id: "PrivateAnswer" }),
      },
    },
    failures: [...TOKEN, "not_found"],
  },
  erasePrivate: {
    ...writes("Erase the value of a private field; its hash stays", "Document"),
    method: "delete",
    path: "/sessions/{ref}/private/{field}",
    failures: [...WRITE, "not_found"],
  },
} as const satisfies Record<string, Endpoint>;
