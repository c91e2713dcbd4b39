/** Options of every command. */
import { flag, textOption, type Option } from "./command";

export const GLOBAL_OPTIONS: Readonly<Record<string, Option>> = {
  session: {
    type: "string",
    short: "s",
    value: "<name>",
    help: "the session's name on this machine, or its id; default: the current session",
  },
  url: textOption("<address>", "the server; also BATON_URL; default http://localhost:8787"),
  json: flag("print JSON"),
  help: { type: "boolean", short: "h", help: "this" },
};
