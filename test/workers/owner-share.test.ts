/** How much of a session's row participants without `own` can use, and what is left for the owner. */
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits";
import { TestAgent } from "../support/test-agent";
import { bytesOfSession } from "../support/row-bytes";
import { client } from "../support/worker";

/** The longest names that a link may ask for. */
const NAMES = Array.from({ length: 500 }, (_, n) => `${"漢".repeat(196)}${n}`);
const WIDE = { to: "human", scopes: ["fill"], ask: NAMES, show: NAMES };

describe("the row of a session", () => {
  // Shows H-14.
  it("is filled up to rowShareBytes by those without own and not one byte more", async () => {
    const owner = await TestAgent.create(client, { review: { required: true } });
    const filler = await owner.handOffTo(["fill"]);
    await owner.call("PATCH", "", { fields: { big: "x".repeat(400_000), pad: "y" } });
    await owner.call("PATCH", "", {
      nextStep: { body: "漢".repeat(65_000), description: "漢".repeat(4_000) },
    });
    for (let n = 0; n < 5; n += 1) {
      const show = NAMES.slice(0, 250 - n);
      await owner.call("POST", "/handoffs", { to: "human", scopes: ["fill"], show });
    }
    await filler.call("POST", "/resume", {});
    const put = (size: number) =>
      filler.tryCall("PATCH", "", { fields: { pad: "y".repeat(size) } });
    expect((await put(1)).status).toBe(200);
    const capacity = LIMITS.rowShareBytes - (await bytesOfSession(owner)) + 1;
    expect(capacity).toBeGreaterThan(1);
    expect(capacity).toBeLessThan(110_000);
    const beyond = await put(capacity + 1);
    expect([beyond.status, beyond.body.limit]).toEqual([413, LIMITS.rowShareBytes]);
    expect((await put(capacity)).status).toBe(200);
    expect(await bytesOfSession(owner)).toBe(LIMITS.rowShareBytes);
    // A reviewer need not have `own`.
    const reviewer = await owner.handOffTo(["review"]);
    await owner.call("POST", "/resume", {});
    await owner.call("POST", "/submit", {});
    await reviewer.call("POST", "/resume", {});
    await reviewer.call("POST", "/request-changes", { comment: "x".repeat(4_000) });
    // The rest is reserved for the owner.
    await owner.call("POST", "/resume", {});
    const show = NAMES.slice(0, 250);
    await owner.call("POST", "/handoffs", { to: "human", scopes: ["fill"], show });
  });

  // Shows H-14.
  it("stays open to its owner when a participant fills it with links, and is free again once that one is revoked", async () => {
    const owner = await TestAgent.create(client);
    const filler = await owner.handOffTo(["fill", "handoff"]);
    let last = 0;
    for (let n = 0; n < 6 && last !== 413; n += 1) {
      last = (await filler.tryCall("POST", "/handoffs", WIDE)).status;
    }
    expect(last).toBe(413);
    const full = await bytesOfSession(owner);
    expect(full).toBeGreaterThan(LIMITS.rowShareBytes / 2);
    await owner.call("PATCH", "", { fields: { a: 2 } });
    const { participants } = await owner.session();
    const { id } = participants[1];
    await owner.call("POST", "/revoke", { participant: id });
    expect(await bytesOfSession(owner)).toBeLessThan(full / 10);
    await owner.call("POST", "/handoffs", WIDE);
    await owner.call("POST", "/fork", { reason: "to go on elsewhere" });
  });
});
