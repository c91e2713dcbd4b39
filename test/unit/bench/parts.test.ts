import { describe, expect, it, vi } from "vitest";
import { Parts } from "../../../scripts/bench/parts.ts";

const quiet = (): void => {
  vi.spyOn(console, "error").mockImplementation(() => {});
};

describe("the parts of a benchmark", () => {
  it("continue after one that fails, and name it", async () => {
    quiet();
    const parts = new Parts(60_000);
    const failed = await parts.run("race", () => Promise.reject(new Error("no answer")));
    const after = await parts.run("many", () => Promise.resolve(7));
    expect([failed, after]).toEqual([null, 7]);
    expect(parts.problems).toEqual(["race is missing: no answer"]);
  });

  it("continue after one that does not end", async () => {
    quiet();
    const parts = new Parts(60_000, 5);
    const hung = await parts.run("memory", () => new Promise<number>(() => {}));
    expect(hung).toBeNull();
    expect(parts.problems).toEqual(["memory is missing: it took more than 0.005 s"]);
  });

  it("do not start once the time is up", async () => {
    quiet();
    const parts = new Parts(0);
    const work = vi.fn(() => Promise.resolve(1));
    expect(await parts.run("growth", work)).toBeNull();
    expect(work).not.toHaveBeenCalled();
    expect(parts.problems).toEqual(["growth is missing: the time was up before its turn"]);
  });
});
