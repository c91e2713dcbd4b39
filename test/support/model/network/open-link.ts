/** A person follows a link and presses its button, once, under a name that marks the opening. */
import { hiddenIn } from "../../person.ts";
import type { Outcome } from "../history.ts";
import type { Fate } from "../plan.ts";
import type { Recorder } from "../recorder.ts";
import type { Exchange } from "./http-driver.ts";
import type { HttpResponse } from "./wire.ts";

/** How the status of the page tells why a link does not open. */
const REFUSALS: Readonly<Record<number, string>> = {
  404: "link_unknown",
  409: "link_kept",
  410: "link_over",
  429: "rate_limited",
};

export async function openLink(
  exchange: Exchange,
  recorder: Recorder,
  link: { readonly participant: number; readonly code: string },
  name: string,
  fate: Fate,
): Promise<void> {
  const path = `/h/${link.code}`;
  const invoked = Date.now();
  const record = (outcome: Outcome): void =>
    recorder.operation({
      id: `${name} by link`,
      name: "openLink",
      way: "page",
      participant: link.participant,
      token: 0,
      key: null,
      ifMatch: null,
      args: {},
      mark: name,
      hasLostAttempt: outcome.kind === "unknown",
      invoked,
      outcome,
    });
  const landing = await exchange({ method: "GET", path, headers: {} }, "whole");
  if (landing === null) return;
  const refused = refusalOf(landing);
  if (refused !== null) return record(refused);
  if (landing.status !== 200) return;
  const body = new URLSearchParams({ nonce: hiddenIn(landing.text, "nonce"), name }).toString();
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    cookie: [landing.headers["set-cookie"] ?? []]
      .flat()
      .map((cookie) => cookie.split(";")[0])
      .join("; "),
  };
  const response = await exchange({ method: "POST", path, headers, body }, fate);
  if (response?.status === 303) return record({ kind: "ok", commit: null, replayed: false });
  return record((response === null ? null : refusalOf(response)) ?? { kind: "unknown" });
}

function refusalOf({ status }: HttpResponse): Outcome | null {
  const code = REFUSALS[status];
  return code === undefined ? null : { kind: "refused", code };
}
