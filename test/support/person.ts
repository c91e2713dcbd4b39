/** A person without JavaScript: follows links, stores cookies, presses buttons of forms. */
import type { Send } from "./client";

export interface PageResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
}

/** A random public address. */
const randomAddress = (): string => `8.${[...crypto.getRandomValues(new Uint8Array(3))].join(".")}`;

export class Person {
  readonly #send: Send;
  readonly #base: string;
  readonly cookies = new Map<string, string>();
  /** The address by which the server counts wrong codes. */
  readonly #address: string;

  constructor(send: Send, base = "http://localhost:8787", address: string = randomAddress()) {
    this.#send = send;
    this.#base = base;
    this.#address = address;
  }

  /** The same person with the same cookies on another server address. */
  at(base: string): Person {
    const moved = new Person(this.#send, base, this.#address);
    for (const [name, value] of this.cookies) moved.cookies.set(name, value);
    return moved;
  }

  async go(
    method: string,
    path: string,
    form?: Readonly<Record<string, string>> | FormData,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<PageResponse> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const body = form === undefined ? undefined : encoded(form);
    const response = await this.#send(
      new Request(this.#base + path, {
        method,
        redirect: "manual",
        headers: {
          "CF-Connecting-IP": this.#address,
          ...(cookie === "" ? {} : { Cookie: cookie }),
          ...(method === "POST"
            ? { Origin: this.#base, "Sec-Fetch-Site": "same-origin", ...lengthOf(body) }
            : {}),
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
      }),
    );
    for (const line of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (line.split(";")[0] ?? "").split("=");
      this.cookies.set(name, value);
    }
    const html = await response.text();
    const location = response.headers.get("Location");
    if (response.status === 303 && location !== null) return this.go("GET", location);
    return { status: response.status, headers: response.headers, html };
  }

  /** Opens the link by its button. */
  async open(code: string, name = ""): Promise<PageResponse> {
    const { html } = await this.go("GET", `/h/${code}`);
    return this.go("POST", `/h/${code}`, { nonce: hiddenIn(html, "nonce"), name });
  }

  /** Presses a button of the page's form, with these inputs changed. */
  async press(
    code: string,
    page: string,
    action: string,
    inputs: Readonly<Record<string, string>> = {},
  ): Promise<PageResponse> {
    return this.go("POST", `/h/${code}/act`, { ...formOf(page), ...inputs, action });
  }
}

const encoded = (form: Readonly<Record<string, string>> | FormData): string | FormData =>
  form instanceof FormData ? form : new URLSearchParams(form).toString();

const lengthOf = (body: string | FormData | undefined): Record<string, string> =>
  typeof body === "string"
    ? {
        "Content-Type": "application/x-www-form-urlencoded",
        "Content-Length": String(new TextEncoder().encode(body).length),
      }
    : {};

const unescape = (text: string): string =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

export const hiddenIn = (html: string, name: string): string =>
  unescape(new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? "");

/** The form's data: inputs, textareas and selects with their values. */
export function formOf(html: string): Record<string, string> {
  const form: Record<string, string> = {};
  for (const [tag] of html.matchAll(/<input [^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(tag)?.[1];
    if (name === undefined || /type="(radio|file)"/.test(tag)) continue;
    form[unescape(name)] = unescape(/value="([^"]*)"/.exec(tag)?.[1] ?? "");
  }
  for (const [, tag = "", text = ""] of html.matchAll(/<textarea ([^>]*)>([^<]*)<\/textarea>/g)) {
    form[unescape(/name="([^"]*)"/.exec(tag)?.[1] ?? "")] = unescape(text).replace(/^\n/, "");
  }
  for (const [, tag = "", body = ""] of html.matchAll(/<select ([^>]*)>(.*?)<\/select>/gs)) {
    const chosen = /<option value="([^"]*)" selected/.exec(body)?.[1] ?? "";
    form[unescape(/name="([^"]*)"/.exec(tag)?.[1] ?? "")] = unescape(chosen);
  }
  return form;
}
