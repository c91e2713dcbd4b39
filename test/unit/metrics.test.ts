/** Every counter is explained for operators, and every counter that is written is shown. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { COUNTERS, GAUGES } from "../../src/http/metrics.ts";
import { Counters } from "../../src/counters.ts";

const read = (path: string): string =>
  readFileSync(join(import.meta.dirname, "../..", path), "utf8");

describe("a counter", () => {
  it.each(Object.keys({ ...COUNTERS, ...GAUGES }))(
    "%s is explained in docs/operations.md",
    (name) => {
      expect(read("docs/operations.md")).toContain(`\`${name}\``);
    },
  );

  it("that is written is shown", () => {
    const sources = ["observe/commit-counters", "observe/request-log", "object/measure"];
    const names = sources.flatMap((path) => read(`src/${path}.ts`).match(/baton_\w+/g) ?? []);
    expect(names.length).toBeGreaterThan(10);
    expect([...new Set(names)].toSorted()).toEqual(Object.keys(COUNTERS).toSorted());
  });

  it("is summed per label, and a label's value cannot break the line", () => {
    const counters = new Counters();
    const labels = { a: 'x"\\\n' };
    counters.add({ name: "n", labels, amount: 1 });
    counters.add({ name: "n", labels, amount: 2 });
    counters.add({ name: "n", labels: {}, amount: 5 });
    expect([...counters.seriesOf("n")]).toEqual([
      ['a="x\\"\\\\\\n"', 3],
      ["", 5],
    ]);
  });
});
