/** OpenAPI 3.1, written from the endpoint table and the same zod schemas the routes use. */
import * as z from "zod";
import { describeSchema, headerSchema, simplifyNullable, SCHEMA_VARIANTS } from "./openapi-schemas";
import { failureCodes, isBodyOptional, type RouteResponse, type ApiRoute } from "./api-route";
import { apiRouteEntries, type ApiRouteId } from "./api-routes";
import { withExamples } from "./openapi-examples";
import { responseHeaders, problemHeaders } from "./openapi-headers";
import { problemSchema, STATUS } from "./problem";
import { VERSION } from "../version";
import { NDJSON, EVENT_STREAM, REQUEST_HEADERS, PROBLEM_JSON } from "./media-types";

type Doc = Record<string, unknown>;

const COMPONENTS = "#/components/schemas/";

/** Inlines nothing that has a name: every schema with an id becomes a component. */
class Components {
  readonly schemas: Record<string, unknown> = {};

  ref(schema: z.ZodType, io: "input" | "output"): Doc {
    const doc = z.toJSONSchema(schema, {
      io,
      unrepresentable: "any",
      target: "draft-2020-12",
    }) as Doc;
    const { $defs, $schema: _, ...rest } = doc as { $defs?: Record<string, Doc>; $schema?: string };
    for (const [name, def] of Object.entries($defs ?? {})) this.#add(name, def);
    const { id } = (schema.meta() ?? {}) as { readonly id?: string };
    if (id === undefined) return relinkRefs(rest) as Doc;
    // A named root may come as one of its own $defs; what is left is then only a reference to it.
    if ($defs?.[id] === undefined) this.#add(id, rest);
    return { $ref: COMPONENTS + id };
  }

  #add(name: string, schema: Doc): void {
    const { id: _, $id: __, ...rest } = schema;
    const linked = relinkRefs(rest) as Doc;
    this.schemas[name] = describeSchema(name, linked);
    const variant = SCHEMA_VARIANTS[name];
    if (variant !== undefined) this.schemas[variant] = describeSchema(variant, linked);
  }
}

/** References into `$defs` become references to components. */
function relinkRefs(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(relinkRefs);
  if (typeof node !== "object" || node === null) return node;
  const linked = Object.entries(node).map(([key, value]) =>
    key === "$ref" && typeof value === "string"
      ? [key, value.replace("#/$defs/", COMPONENTS)]
      : [key, relinkRefs(value)],
  );
  return simplifyNullable(Object.fromEntries(linked));
}

/** What a deployment settles and its description therefore says. */
interface Deployment {
  readonly publicUrl: string;
  /** Are keys listed, without which no session is begun? */
  readonly needsKey: boolean;
}

export function buildOpenApi({ publicUrl, needsKey }: Deployment): Doc {
  const components = new Components();
  const problem = components.ref(problemSchema, "output");
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [id, endpoint] of apiRouteEntries) {
    const path = (paths[endpoint.path] ??= {});
    path[endpoint.method] = {
      ...operationDoc(id, endpoint, components, problem),
      ...securityDoc(endpoint, needsKey),
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Baton",
      version: VERSION,
      summary: "Sessions that outlive the agents and people who work on them",
      description:
        "Anyone who has a session's resume token can continue the session. Every accepted write spends the token, and the response contains the next one. `/submissions/…` is an alias of `/sessions/…`. Every request may have a `traceparent` header, which is stored in the events that it writes.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: publicUrl }],
    security: [{ resumeToken: [] }],
    tags: [...new Set(apiRouteEntries.map(([, { tag }]) => tag))].map((name) => ({
      name,
      description: TAGS[name] ?? name,
    })),
    paths: withExamples(paths, components.schemas),
    components: {
      schemas: components.schemas,
      securitySchemes: {
        resumeToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "rtok_",
          description: "A resume token; it can also be in the path instead of the session id.",
        },
        ownerKey: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "bkey_",
          description: "A key of an owner. Its hash is listed in the setting OWNERS.",
        },
        ownerKeyHeader: {
          type: "apiKey",
          in: "header",
          name: "Baton-Key",
          description: "The same key, if a resume token is the bearer.",
        },
        agentKey: {
          type: "http",
          scheme: "bearer",
          description: "The key of an agent's executors; its hash is in the configuration.",
        },
        jobToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "jtok_",
          description:
            "Returned by a claim; valid until the lease ends or another executor claims the job.",
        },
      },
    },
  };
}

const TAGS: Readonly<Record<string, string>> = {
  Sessions: "Creating, reading and ending sessions",
  Document: "Fields and requests for input",
  Resume: "Continuing where the work stopped",
  Review: "Submitting and reviewing",
  Log: "Everything that happened, in order",
  Evidence: "What can be kept and checked without this server",
  Automation: "Stops, automatic resumes, checkpoints and forks",
  Files: "Uploads and downloads",
  Participants: "Handing off and revoking",
  Jobs: "Work for agents that outlives every connection",
  Executors: "For executors, wherever they run",
};

function operationDoc(
  id: ApiRouteId,
  endpoint: ApiRoute,
  components: Components,
  problem: Doc,
): Doc {
  const parameters = [
    ...pathParameters(endpoint.path),
    ...queryParameters(endpoint, components),
    ...(endpoint.headers ?? []).map((name) => ({
      name,
      in: "header",
      required: false,
      description: REQUEST_HEADERS[name],
      schema: headerSchema(name, id === "createSession"),
    })),
  ];
  return {
    operationId: id,
    summary: endpoint.summary,
    tags: [endpoint.tag],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(endpoint.body === undefined
      ? {}
      : {
          requestBody: {
            required: !isBodyOptional(endpoint),
            content: { "application/json": { schema: components.ref(endpoint.body, "input") } },
          },
        }),
    ...(endpoint.takesFile === true
      ? { requestBody: { required: true, content: { "*/*": { schema: BINARY } } } }
      : {}),
    responses: {
      ...successResponses(endpoint, components),
      ...problemResponses(endpoint, problem),
    },
  };
}

/** A resume token is what the whole document asks for where nothing else is said. */
function securityDoc({ auth = "token" }: ApiRoute, needsKey: boolean): Doc {
  if (auth === "token") return {};
  return {
    security: auth === "owner" && !needsKey ? [] : SECURITY[auth].map((one) => ({ [one]: [] })),
  };
}

const SECURITY = {
  none: [],
  owner: ["ownerKey", "ownerKeyHeader"],
  key: ["ownerKey", "ownerKeyHeader"],
  agent: ["agentKey"],
  job: ["jobToken"],
} as const;

const pathParameters = (path: string): readonly Doc[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    description:
      name === "ref"
        ? "A resume token, or a session id with the token in Authorization: Bearer"
        : "As listed",
    schema: { type: "string" },
  }));

function queryParameters({ query }: ApiRoute, components: Components): readonly Doc[] {
  if (query === undefined) return [];
  return Object.entries(query.shape).map(([name, schema]) => {
    const { description, ...rest } = queryParameterSchema(schema as z.ZodType, components);
    const text = (schema as z.ZodType).description ?? description;
    return {
      name,
      in: "query",
      required: false,
      ...(text === undefined ? {} : { description: text }),
      ...(rest["type"] === "array" ? { style: "form", explode: false } : {}),
      schema: rest,
    };
  });
}

/** In an address all is text; numbers and comma lists are described as what the text stands for. */
function queryParameterSchema(schema: z.ZodType, components: Components): Doc {
  const read = components.ref(schema, "output");
  return read["type"] === "integer" || read["type"] === "array"
    ? read
    : components.ref(schema, "input");
}

function successResponses(endpoint: ApiRoute, components: Components): Doc {
  return Object.fromEntries(
    Object.entries(endpoint.responses).map(([status, answer]) => [
      status,
      {
        description: answer.description,
        headers: responseHeaders(answer, Number(status), endpoint),
        ...responseContent(answer, components),
      },
    ]),
  );
}

const BINARY: Doc = { type: "string", format: "binary" };

const PAGE = { "text/html": { schema: { type: "string" } } };

function responseContent(answer: RouteResponse, components: Components): Doc {
  const { schema, lines, stream, file, onlyLines, page } = answer;
  if (file === true) return { content: { "*/*": { schema: BINARY } } };
  if (onlyLines === true) return { content: { [NDJSON]: { schema: { type: "string" } } } };
  if (schema === undefined) return {};
  return {
    content: {
      "application/json": { schema: components.ref(schema, "output") },
      ...(page === true ? PAGE : {}),
      ...(lines === undefined
        ? {}
        : { [NDJSON]: { schema: { type: "string", description: "One event per line" } } }),
      ...(stream === undefined
        ? {}
        : {
            [EVENT_STREAM]: {
              schema: {
                type: "string",
                description:
                  "Each Event as data, with its seq as id and its type as name; then replay.done, live events, and end",
              },
            },
          }),
    },
  };
}

/** One entry a status, naming the codes that come with it. */
function problemResponses(endpoint: ApiRoute, problem: Doc): Doc {
  const all = [...failureCodes(endpoint), "internal" as const, "overloaded" as const];
  const byStatus = new Map<number, string[]>();
  for (const code of new Set(all)) {
    byStatus.set(STATUS[code], [...(byStatus.get(STATUS[code]) ?? []), code]);
  }
  // If-Match and Idempotency-Key can be malformed on any write.
  if (!byStatus.has(400)) byStatus.set(400, ["invalid_request"]);
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => [
      String(status),
      {
        description: names.join(", "),
        headers: problemHeaders(status, names),
        content: { [PROBLEM_JSON]: { schema: problem } },
      },
    ]),
  );
}
