/** Generates OpenAPI 3.1 from the table of routes and the zod schemas that the routes use. */
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

/** Collects the components: every schema with an id becomes one and is not inlined. */
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
    // A named root can be one of its own $defs. The rest is then only a reference to it.
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

/** Turns references into `$defs` into references to components. */
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

/** Settings of a deployment that its description shows. */
interface Deployment {
  readonly publicUrl: string;
  /** True if keys are configured: then a session cannot be created without one. */
  readonly needsKey: boolean;
}

export function buildOpenApi({ publicUrl, needsKey }: Deployment): Doc {
  const components = new Components();
  const problem = components.ref(problemSchema, "output");
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [id, route] of apiRouteEntries) {
    const path = (paths[route.path] ??= {});
    path[route.method] = {
      ...operationDoc(id, route, components, problem),
      ...securityDoc(route, needsKey),
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
  Leases: "Exclusive rights for a while, and effects that happen once",
  Jobs: "Work for agents that outlives every connection",
  Executors: "For executors, wherever they run",
};

function operationDoc(id: ApiRouteId, route: ApiRoute, components: Components, problem: Doc): Doc {
  const parameters = [
    ...pathParameters(route.path),
    ...queryParameters(route, components),
    ...headerNames(route).map((name) => ({
      name,
      in: "header",
      required: false,
      description: REQUEST_HEADERS[name],
      schema: headerSchema(name, id === "createSession"),
    })),
  ];
  return {
    operationId: id,
    summary: route.summary,
    tags: [route.tag],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: !isBodyOptional(route),
            content: { "application/json": { schema: components.ref(route.body, "input") } },
          },
        }),
    ...(route.takesFile === true
      ? { requestBody: { required: true, content: { "*/*": { schema: BINARY } } } }
      : {}),
    responses: {
      ...successResponses(route, components),
      ...problemResponses(route, problem),
    },
  };
}

/** Every request of a participant may name a lease. */
const headerNames = ({ headers = [], auth = "token" }: ApiRoute) =>
  auth === "token" ? ([...headers, "Baton-Lease"] as const) : headers;

/** A resume token is the default of the whole document. */
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

/** Query parameters are text. Numbers and comma lists are described as the values they are parsed to. */
function queryParameterSchema(schema: z.ZodType, components: Components): Doc {
  const output = components.ref(schema, "output");
  return output["type"] === "integer" || output["type"] === "array"
    ? output
    : components.ref(schema, "input");
}

function successResponses(route: ApiRoute, components: Components): Doc {
  return Object.fromEntries(
    Object.entries(route.responses).map(([status, response]) => [
      status,
      {
        description: response.description,
        headers: responseHeaders(response, Number(status), route),
        ...responseContent(response, components),
      },
    ]),
  );
}

const BINARY: Doc = { type: "string", format: "binary" };

const PAGE = { "text/html": { schema: { type: "string" } } };

function responseContent(response: RouteResponse, components: Components): Doc {
  const { schema, lines, stream, file, onlyLines, page } = response;
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

/** One entry per status, which lists its codes. */
function problemResponses(route: ApiRoute, problem: Doc): Doc {
  const all = [...failureCodes(route), "internal" as const, "overloaded" as const];
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
