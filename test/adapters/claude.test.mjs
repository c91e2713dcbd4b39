/**
 * The Claude Agent SDK's own contracts for session stores. They are in the SDK's repository and in
 * no package: `scripts/adapters.ts` copies the file into this folder.
 */
import { randomUUID } from "node:crypto";
import { describe } from "vitest";
import { runSessionStoreConformance } from "./claude-suite/conformance.mjs";

const { Baton } = await import(`${process.env.BATON_PACKAGE}/client`);
const { BatonSessionStore } = await import(`${process.env.BATON_PACKAGE}/claude`);

describe("BatonSessionStore", () => {
  runSessionStoreConformance(
    () =>
      new BatonSessionStore({
        baton: Baton.connect(process.env.BATON_URL),
        namespace: randomUUID(),
      }),
  );
});
