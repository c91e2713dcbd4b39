/** A person who follows a link and presses its button, once, under a name that tells the opening. */
import type { Random } from "../live/random.ts";
import { hiddenIn } from "../person.ts";
import type { Outcome } from "./checker/history.ts";
import type { Recorder } from "./recorder.ts";
import { send, type Fate, type Heard } from "./send.ts";

/** How the page's status tells why a link does not open. */
const REFUSALS: Readonly<Record<number, string>> = {
  404: "link_unknown",
  409: "link_kept",
  410: "link_over",
  429: "rate_limited",
};

export async function openLink(
  url: string,
  recorder: Recorder,
  link: { readonly participant: number; readonly code: string },
  name: string,
  whim: Random,
): Promise<void> {
  const path = `/h/${link.code}`;
  const fate: Fate = whim.chance(0.2) ? whim.pick(["cut", "unheard"]) : "whole";
  const invoked = Date.now();
  const record = (outcome: Outcome) =>
    recorder.operation("page", {
      id: `${name} by link`,
      name: "openLink",
      participant: link.participant,
      token: 0,
      ifMatch: null,
      mark: name,
      hasLostAttempt: outcome.kind === "unknown",
      invoked,
      outcome,
    });
  const landing = await send(url, { method: "GET", path, headers: {} }, "whole");
  if (landing === null) return;
  const refused = refusalOf(landing);
  if (refused !== null) return record(refused);
  const body = new URLSearchParams({ nonce: hiddenIn(landing.text, "nonce"), name }).toString();
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    cookie: [landing.headers["set-cookie"] ?? []]
      .flat()
      .map((cookie) => cookie.split(";")[0])
      .join("; "),
  };
  const heard = await send(url, { method: "POST", path, headers, body }, fate);
  if (heard?.status === 303) return record({ kind: "ok", commit: null, replayed: false });
  return record((heard === null ? null : refusalOf(heard)) ?? { kind: "unknown" });
}

function refusalOf({ status }: Heard): Outcome | null {
  const code = REFUSALS[status];
  return code === undefined ? null : { kind: "refused", code };
}
