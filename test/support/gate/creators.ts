/** A creator who sent a key, and the ways in which it can lose its right to the created session. */
import { publicAddress, sendFrom } from "../caller";
import { Client, randomKey, type Send } from "../client";
import { TestAgent } from "../test-agent";
import { client } from "../worker";
import { createMarker } from "./marker";
import { advanceTime, type Loss } from "./fixture";

const HOUR_MS = 60 * 60 * 1000;
const PROXY = { PRINCIPAL_HEADER: "X-Verified-User" } as const;

/** A creator has no parent participant, and its right ends with the session. */
export const CREATOR_LOSSES = [
  "revoked",
  "session expired",
  "fenced by a later resume",
  "bound to another network",
  "bound to another principal",
] as const satisfies readonly Loss[];
export type CreatorLoss = (typeof CREATOR_LOSSES)[number];

const plain: Send = (request) => sendFrom({}, PROXY)(request);
const SENDERS: Record<CreatorLoss, { here: Send; there: Send; bind?: object }> = {
  revoked: { here: plain, there: plain },
  "session expired": { here: plain, there: plain },
  "fenced by a later resume": { here: plain, there: plain },
  "bound to another network": {
    here: sendFrom({ "CF-Connecting-IP": "198.51.100.7" }),
    there: sendFrom({ "CF-Connecting-IP": publicAddress() }),
    bind: { network: true },
  },
  "bound to another principal": {
    here: sendFrom({ "X-Verified-User": "bob" }, PROXY),
    there: sendFrom({ "X-Verified-User": "eve" }, PROXY),
    bind: { principal: true },
  },
};

export interface Creation {
  readonly marker: string;
  readonly key: string;
  readonly body: object;
  readonly send: Send;
  readonly otherSend: Send;
  /** Removes the right in the chosen way. `created` is the session that the creator received. */
  lose(created: { readonly id: string; readonly token: string }): Promise<void>;
}

/** The creation contains no marker. Later writes do. */
export function prepareCreation(loss: CreatorLoss): Creation {
  const marker = createMarker();
  const { here: send, there: otherSend, bind } = SENDERS[loss];
  const ttlMs = HOUR_MS;
  const body = { title: "plain", ...(bind === undefined ? { ttlMs } : { ttlMs, bind }) };
  return { marker, key: randomKey(), body, send, otherSend, lose };

  async function lose(created: { readonly id: string; readonly token: string }): Promise<void> {
    const creator = new TestAgent(new Client(send), created);
    const fields = { secret: `${marker}-field` };
    await creator.call("PATCH", "", { title: `${marker}-title`, fields });
    if (loss === "revoked") {
      const handoff = await creator.call("POST", "/handoffs", { to: "agent", scopes: ["own"] });
      const heir = new TestAgent(client, { id: created.id, token: handoff.body.participantToken });
      await heir.call("POST", "/revoke", { participant: "par_1" });
    }
    if (loss === "fenced by a later resume") await creator.call("POST", "/resume", {});
    if (loss === "session expired") advanceTime(2 * HOUR_MS);
  }
}
