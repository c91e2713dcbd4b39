/** Routes that OpenAPI does not describe: sockets, MCP, documents, what operators ask for, pages. */
import type { Route } from "./endpoint";

export const otherRoutes = {
  socket: {
    method: "get",
    path: "/sessions/{ref}/socket",
    who: "token",
    summary: "The log, live, over a WebSocket; the token comes with the handshake or the hello",
  },
  arcp: { method: "get", path: "/arcp", who: "none", summary: "ARCP v1.1 over a WebSocket" },
  mcp: { method: "any", path: "/mcp", who: "none", summary: "MCP; tokens are arguments of tools" },
  health: { method: "get", path: "/healthz", who: "none", summary: "Health check" },
  publicKeys: {
    method: "get",
    path: "/.well-known/baton-keys.json",
    who: "none",
    summary: "The public keys for verifying this server's proofs",
  },
  metrics: { method: "get", path: "/metrics", who: "operator", summary: "Counters for Prometheus" },
  openApi: { method: "get", path: "/openapi.json", who: "none", summary: "The API described" },
  docs: { method: "get", path: "/docs", who: "none", summary: "The documentation" },
  docsPage: { method: "get", path: "/docs/{page*}", who: "none", summary: "Its pages and files" },
} as const satisfies Record<string, Route>;

/** For people in a browser. Below a link its cookie says who they are. */
export const pageRoutes = {
  front: { method: "get", path: "/", who: "page", summary: "The front page, with a try-out" },
  asset: { method: "get", path: "/assets/{file}", who: "page", summary: "What pages load" },
  typeCode: { method: "get", path: "/h", who: "page", summary: "Type a code by hand" },
  offline: {
    method: "get",
    path: "/h/offline",
    who: "page",
    summary: "What a browser keeps to show while there is no network",
  },
  showLink: { method: "get", path: "/h/{code}", who: "page", summary: "The page of a link" },
  openLink: { method: "post", path: "/h/{code}", who: "page", summary: "Redeem the link" },
  showQr: {
    method: "get",
    path: "/h/{code}/qr.svg",
    who: "page",
    summary: "The link as a picture",
  },
  showReceipt: {
    method: "get",
    path: "/h/{code}/receipt",
    who: "page",
    summary: "A receipt to print, after the person has answered",
  },
  followLive: { method: "get", path: "/h/{code}/live", who: "page", summary: "Live updates" },
  takeAction: {
    method: "post",
    path: "/h/{code}/act",
    who: "page",
    summary: "Save, submit, decide",
  },
  takeFile: { method: "post", path: "/h/{code}/files", who: "page", summary: "Upload a file" },
  giveFile: {
    method: "get",
    path: "/h/{code}/files/{upload}",
    who: "page",
    summary: "Download a file",
  },
} as const satisfies Record<string, Route>;

/** The console of owners. Below it its cookie says whose key it is. */
export const consoleRoutes = {
  consoleList: { method: "get", path: "/console", who: "page", summary: "The owner's sessions" },
  consoleLive: {
    method: "get",
    path: "/console/live",
    who: "page",
    summary: "Live updates of the list",
  },
  showEntry: {
    method: "get",
    path: "/console/enter/{code}",
    who: "page",
    summary: "The page of a one-time link",
  },
  redeemEntry: {
    method: "post",
    path: "/console/enter/{code}",
    who: "page",
    summary: "Redeem the one-time link",
  },
  signIn: { method: "post", path: "/console/sign-in", who: "page", summary: "Sign in with a key" },
  signOut: { method: "post", path: "/console/sign-out", who: "page", summary: "Sign out" },
  consoleSession: {
    method: "get",
    path: "/console/sessions/{id}",
    who: "page",
    summary: "One session",
  },
  consoleSessionLive: {
    method: "get",
    path: "/console/sessions/{id}/live",
    who: "page",
    summary: "Live updates of a session",
  },
  consoleExport: {
    method: "get",
    path: "/console/sessions/{id}/export",
    who: "page",
    summary: "Download the export of a session",
  },
  askAction: {
    method: "get",
    path: "/console/sessions/{id}/{action}",
    who: "page",
    summary: "Ask for confirmation",
  },
  takeConsoleAction: {
    method: "post",
    path: "/console/sessions/{id}/{action}",
    who: "page",
    summary: "Open, revoke, pause, extend, label, cancel, purge",
  },
} as const satisfies Record<string, Route>;
