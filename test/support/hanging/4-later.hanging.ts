/** Waits in the queue behind a file that hangs, and fails. */
import { expect, it } from "vitest";

it("passes", () => expect(1).toBe(1));
it("fails", () => expect("this failure").toBe("told"));
