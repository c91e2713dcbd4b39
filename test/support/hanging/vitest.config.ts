/** Files that hang, or end their process, on purpose, for the test of the watch over the test runner. */
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

class ByName extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => (one.moduleId < other.moduleId ? -1 : 1));
  }
}

export default defineConfig({
  test: {
    include: [`*.${process.env["HANGING_KIND"] ?? "hanging"}.ts`],
    maxWorkers: 2,
    pool: "forks",
    sequence: { sequencer: ByName },
    testTimeout: 0,
  },
});
