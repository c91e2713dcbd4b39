/** Options that every command takes. */
import type { Option } from "./command";

export const GLOBAL_OPTIONS: Readonly<Record<string, Option>> = {
  session: {
    type: "string",
    short: "s",
    value: "<name>",
    help: "the session's name on this machine, or its id; default: the current session",
  },
  url: {
    type: "string",
    value: "<address>",
    help: "the server; also BATON_URL; default http://localhost:8787",
  },
  json: { type: "boolean", help: "print JSON" },
  help: { type: "boolean", short: "h", help: "this" },
};
