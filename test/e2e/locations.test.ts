import { expect, it } from "vitest";
import { sharedServer } from "../support/server.ts";

const { client } = sharedServer();

// Shows C-13.
it.each(["jurisdiction", "locationHint"])(
  "%s is refused by a self-hosted server",
  async (member) => {
    const body = { [member]: member === "jurisdiction" ? "eu" : "weur" };
    const refused = await client.call("POST", "/sessions", { body });
    expect(refused.status, refused.text).toBe(400);
    expect(refused.body).toMatchObject({ code: "invalid_request", retryable: false });
    expect(refused.text).toContain(member);
  },
);
