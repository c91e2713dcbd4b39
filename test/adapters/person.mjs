/** A person who opens a link and submits its form, without a browser. */
import assert from "node:assert/strict";

const hidden = (html) =>
  Object.fromEntries(
    [...html.matchAll(/<input [^>]*type="hidden"[^>]*>/g)].map(([tag]) => [
      /name="([^"]*)"/.exec(tag)?.[1],
      (/value="([^"]*)"/.exec(tag)?.[1] ?? "").replaceAll("&quot;", '"').replaceAll("&amp;", "&"),
    ]),
  );

export async function answerLink(url, inputs, action = "submit") {
  const cookies = new Map();
  const { origin, pathname } = new URL(url);
  const go = async (method, path, form) => {
    const response = await fetch(origin + path, {
      method,
      redirect: "manual",
      headers: {
        Cookie: [...cookies].map((pair) => pair.join("=")).join("; "),
        ...(method === "POST" ? { Origin: origin, "Sec-Fetch-Site": "same-origin" } : {}),
      },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair] = line.split(";");
      cookies.set(...pair.split(/=(.*)/s).slice(0, 2));
    }
    const location = response.headers.get("Location");
    if (response.status === 303) return go("GET", new URL(location, origin).pathname);
    return { status: response.status, html: await response.text() };
  };
  const landing = await go("GET", pathname);
  const page = await go("POST", pathname, { ...hidden(landing.html), name: "Ada" });
  const form = { ...hidden(page.html), ...inputs, action };
  const sent = await go("POST", `${pathname}/act`, form);
  assert.equal(sent.status, 200, sent.html);
}
