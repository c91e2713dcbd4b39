/** Routes that OpenAPI does not describe: sockets, MCP, documents, routes for operators, pages. */
import type { Route } from "./api-route";

export const otherRoutes = {
  socket: {
    method: "get",
    path: "/sessions/{ref}/socket",
    auth: "token",
    summary: "The log, live, over a WebSocket; the token comes with the handshake or the hello",
  },
  arcp: { method: "get", path: "/arcp", auth: "none", summary: "ARCP v1.1 over a WebSocket" },
  mcp: { method: "any", path: "/mcp", auth: "none", summary: "MCP; tokens are arguments of tools" },
  health: { method: "get", path: "/healthz", auth: "none", summary: "Health check" },
  publicKeys: {
    method: "get",
    path: "/.well-known/baton-keys.json",
    auth: "none",
    summary: "The public keys for verifying this server's proofs",
  },
  metrics: {
    method: "get",
    path: "/metrics",
    auth: "operator",
    summary: "Counters for Prometheus",
  },
  openApi: { method: "get", path: "/openapi.json", auth: "none", summary: "The OpenAPI document" },
  docs: { method: "get", path: "/docs", auth: "none", summary: "The documentation" },
  docsPage: { method: "get", path: "/docs/{page*}", auth: "none", summary: "Its pages and files" },
} as const satisfies Record<string, Route>;

const page = (method: "get" | "post", path: string, summary: string): Route => ({
  method,
  path,
  auth: "page",
  summary,
});

/** For people in a browser. Below a link, its cookie identifies them. */
export const pageRoutes = {
  front: page("get", "/", "The front page, with a try-out"),
  asset: page("get", "/assets/{file}", "Scripts and styles of the pages"),
  typeCode: page("get", "/h", "Enter a code by hand"),
  offline: page("get", "/h/offline", "The page that a browser shows while offline"),
  showLink: page("get", "/h/{code}", "The page of a link"),
  openLink: page("post", "/h/{code}", "Redeem the link"),
  showQr: page("get", "/h/{code}/qr.svg", "The link as a picture"),
  showReceipt: page(
    "get",
    "/h/{code}/receipt",
    "A receipt to print, after the person has answered",
  ),
  followLive: page("get", "/h/{code}/live", "Live updates"),
  takeAction: page("post", "/h/{code}/act", "Save, submit, decide"),
  takeFile: page("post", "/h/{code}/files", "Upload a file"),
  giveFile: page("get", "/h/{code}/files/{upload}", "Download a file"),
};

/** The console of owners. Its cookie identifies the key. */
export const consoleRoutes = {
  consoleList: page("get", "/console", "The owner's sessions"),
  consoleLive: page("get", "/console/live", "Live updates of the list"),
  showEntry: page("get", "/console/enter/{code}", "The page of a one-time link"),
  redeemEntry: page("post", "/console/enter/{code}", "Redeem the one-time link"),
  signIn: page("post", "/console/sign-in", "Sign in with a key"),
  signOut: page("post", "/console/sign-out", "Sign out"),
  consoleSession: page("get", "/console/sessions/{id}", "One session"),
  consoleSessionLive: page("get", "/console/sessions/{id}/live", "Live updates of a session"),
  consoleExport: page("get", "/console/sessions/{id}/export", "Download the export of a session"),
  askAction: page("get", "/console/sessions/{id}/{action}", "Ask for confirmation"),
  takeConsoleAction: page(
    "post",
    "/console/sessions/{id}/{action}",
    "Open, revoke, pause, extend, label, cancel, purge",
  ),
};
