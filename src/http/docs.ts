/**
 * /openapi.json and its reader at /docs: one page, drawn here, that loads nothing from elsewhere and
 * leads to the pages below it.
 */
import { html, raw } from "hono/html";
import type { FailureCode } from "../domain/failure";
import type { Env } from "../env";
import { isOpenToAll } from "../gateway/owner-keys";
import { publicUrlOf } from "../gateway/public-url";
import { buildOpenApi, type Deployment } from "../protocol/openapi";
import { STATUS } from "../protocol/problem";
import { DOCS_GROUPS } from "./docs-index";
import type { RouteHandler } from "./app";
import { DOCS_HEADERS, serveDocsPage } from "./docs-pages";
import { DOCS_STYLE } from "./docs-style";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
}
interface Body {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body & { readonly description: string }>>;
}
interface Document {
  readonly info: { readonly title: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

type Html = ReturnType<typeof html>;

const deploymentOf = (env: Env): Deployment => ({
  publicUrl: publicUrlOf(env),
  needsKey: !isOpenToAll(env),
});

type DocsRouteId = "openApi" | "docs" | "docsStyle" | "docsPage";

export const docsHandlers: Readonly<Record<DocsRouteId, RouteHandler>> = {
  openApi: ({ body, env }) =>
    body(built.of(env).openApi, 200, { "Content-Type": "application/json" }),
  docs: ({ html, env }) => html(built.of(env).page, 200, DOCS_HEADERS),
  docsStyle: ({ body }) => body(DOCS_STYLE, 200, { "Content-Type": "text/css; charset=utf-8" }),
  docsPage: serveDocsPage,
};

interface Built {
  readonly openApi: string;
  readonly page: Html;
}

/** Built for the first who asks: a deployment's settings stay the same while it runs. */
class BuiltOnce {
  readonly #known = new Map<string, Built>();

  of(env: Env): Built {
    const deployment = deploymentOf(env);
    const hasPages = env.DOCS !== undefined;
    const key = JSON.stringify([deployment, hasPages]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const document = buildOpenApi(deployment);
    const built = {
      openApi: JSON.stringify(document),
      page: page(document as unknown as Document, hasPages),
    };
    this.#known.set(key, built);
    return built;
  }
}

const built = new BuiltOnce();

function page(document: Document, hasPages: boolean): Html {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${document.info.title} API</title>
        <link rel="stylesheet" href="/docs/style.css" />
      </head>
      <body class="page">
        <a class="skip" href="#main">Skip to the text</a>
        <header class="top">
          <a class="brand" href="/">Baton</a>
          <a href="/docs" aria-current="page">API</a>
          ${hasPages ? html`<a href="#pages">All pages</a>` : ""}
        </header>
        <main id="main">
          <h1>${document.info.title} API</h1>
          <p>${withCode(document.info.description)}</p>
          <p><a href="/openapi.json">openapi.json</a></p>
          <nav class="sections" aria-label="Contents">
            <ul>
              ${document.tags.map((tag) => html`<li><a href="#${tag.name}">${tag.name}</a></li>`)}
              <li><a href="#codes">Codes</a></li>
              <li><a href="#schemas">Schemas</a></li>
            </ul>
          </nav>
          ${document.tags.map(
            (tag) =>
              html`<section id="${tag.name}">
                <h2>${tag.name}</h2>
                <p>${tag.description}</p>
                ${operations
                  .filter(({ operation }) => operation.tags.includes(tag.name))
                  .map(({ path, method, operation }) => operationArticle(path, method, operation))}
              </section>`,
          )}
          <section id="codes">
            <h2>Codes</h2>
            <p>
              Errors are <code>application/problem+json</code> with one of these as
              <code>code</code>.
            </p>
            <dl>
              ${(Object.keys(STATUS) as FailureCode[]).map(
                (code) =>
                  html`<dt id="${code}"><code>${code}</code></dt>
                    <dd>${STATUS[code]}</dd>`,
              )}
            </dl>
          </section>
          <section id="schemas">
            <h2>Schemas</h2>
            ${Object.entries(document.components.schemas).map(
              ([name, schema]) =>
                html`<article id="schema-${name}">
                  <h3>${name}</h3>
                  ${members(schema)}
                </article>`,
            )}
          </section>
        </main>
        ${hasPages ? pagesList() : ""}
      </body>
    </html>`;
}

/** Descriptions are Markdown, of which they use only this. */
const withCode = (text: string): Html =>
  html`${text
    .split("`")
    .map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;

const pagesList = (): Html =>
  html`<nav id="pages" aria-label="All pages">
    ${DOCS_GROUPS.map(
      ({ title, pages }) =>
        html`<h2>${title}</h2>
          <ul>
            ${pages.map((one) => html`<li><a href="/docs/${one.path}">${one.title}</a></li>`)}
          </ul>`,
    )}
  </nav>`;

const operationArticle = (path: string, method: string, operation: Operation): Html =>
  html`<article id="${operation.operationId}">
    <h3><b class="${method}">${method.toUpperCase()}</b> <code>${path}</code></h3>
    <p>${operation.summary}</p>
    ${parameterList(operation.parameters ?? [])}
    ${operation.requestBody === undefined
      ? ""
      : html`<p>Body: ${bodyLink(operation.requestBody)}</p>`}
    <ul>
      ${Object.entries(operation.responses).map(
        ([status, response]) =>
          html`<li><b>${status}</b> ${response.description} ${bodyLink(response)}</li>`,
      )}
    </ul>
  </article>`;

const parameterList = (parameters: readonly Parameter[]): Html | string =>
  parameters.length === 0
    ? ""
    : html`<dl>
        ${parameters.map(
          (one) =>
            html`<dt><code>${one.name}</code> <small>${one.in}</small></dt>
              <dd>${one.description ?? ""}</dd>`,
        )}
      </dl>`;

const bodyLink = ({ content }: Body): Html | string => {
  const [first] = Object.values(content ?? {});
  return first === undefined ? "" : typeName(first.schema);
};

function members(schema: Schema): Html | string {
  const properties = Object.entries(schema.properties ?? {});
  if (schema.oneOf !== undefined) {
    return html`${schema.oneOf.map(
      (one, index) => html`${index === 0 ? "" : html`<p>or</p>`}${members(one)}`,
    )}`;
  }
  if (properties.length === 0) return html`<p>${typeName(schema)}</p>`;
  return html`<dl>
    ${properties.map(
      ([name, member]) =>
        html`<dt>
            <code>${name}</code>
            <small>${typeName(member)}${schema.required?.includes(name) ? "" : ", optional"}</small>
          </dt>
          <dd>${member.description ?? ""}</dd>`,
    )}
  </dl>`;
}

function typeName(schema: Schema): Html | string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1) ?? "";
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.enum !== undefined) return schema.enum.join(" | ");
  if (schema.items !== undefined) return html`list of ${typeName(schema.items)}`;
  if (schema.anyOf !== undefined) {
    return html`${schema.anyOf.map(
      (one, index) => html`${raw(index === 0 ? "" : " or ")}${typeName(one)}`,
    )}`;
  }
  return [schema.type ?? "anything"].flat().join(" or ");
}
