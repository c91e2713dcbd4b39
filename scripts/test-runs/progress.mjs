/**
 * A reporter of the test runner that writes, line by line, which files are queued, started and ended,
 * with their results. The lines outlive a runner that has to be ended (see watched.mjs).
 */
import { appendFileSync } from "node:fs";
import { relative, sep } from "node:path";

export default class Progress {
  #vitest;
  #unhandled = 0;

  onInit(vitest) {
    this.#vitest = vitest;
  }

  onTestRunStart(specifications) {
    this.#write({ planned: specifications.map(({ moduleId }) => this.#pathOf(moduleId)) });
  }

  onTestModuleQueued({ moduleId }) {
    this.#write({ started: this.#pathOf(moduleId) });
  }

  onTestCaseReady({ module, fullName }) {
    this.#write({ in: this.#pathOf(module.moduleId), test: fullName });
  }

  onTestCaseResult({ module }) {
    this.#write({ in: this.#pathOf(module.moduleId) });
  }

  onTestModuleEnd(module) {
    const tests = [...module.children.allTests()];
    const isWhole = module.state() !== "failed";
    const passed = tests.filter((test) => test.result().state === "passed").length;
    this.#write({
      ended: this.#pathOf(module.moduleId),
      passed,
      // A test that neither passed nor failed was skipped, which counts as a failure here.
      failed: Math.max(tests.length - passed, isWhole ? 0 : 1),
      ms: module.diagnostic().duration,
      errors: [...module.errors(), ...tests.flatMap((test) => test.result().errors ?? [])].map(
        ({ stack, message }) => stack ?? message,
      ),
    });
    this.#writeUnhandled(this.#vitest.state.getUnhandledErrors());
  }

  onTestRunEnd(_modules, unhandled) {
    this.#writeUnhandled(unhandled);
    this.#write({ over: true });
  }

  #writeUnhandled(errors) {
    for (const { stack, message } of errors.slice(this.#unhandled)) {
      this.#write({ unhandled: stack ?? message });
    }
    this.#unhandled = errors.length;
  }

  #pathOf(moduleId) {
    return relative(this.#vitest.config.root, moduleId).split(sep).join("/");
  }

  #write(line) {
    appendFileSync(process.env["BATON_TEST_PROGRESS"], `${JSON.stringify(line)}\n`);
  }
}
