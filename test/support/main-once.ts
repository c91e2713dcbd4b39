/**
 * Setup of every file that runs in the Worker's runtime. The runner asks the test process for the
 * Worker's main module again on every request and on every call of an object: two round trips each,
 * which took longer than most requests, and which fail the run when they are still open at its end.
 * Here the module is asked for once per file and remembered.
 *
 * With every file the runner also wraps its way of asking in another call of an object. The first
 * wrapper is enough.
 */
interface Transport {
  invoke: unknown;
  /** As it was in the first file. */
  invokeFromAnyObject?: unknown;
}

interface ModuleRunner {
  readonly transport: Transport;
  import(specifier: string): Promise<unknown>;
  /** How it imports without the memory; kept so that a later file does not wrap the wrapper. */
  importAnew?: (specifier: string) => Promise<unknown>;
}

const { moduleRunner: runner } = Reflect.get(globalThis, "__vitest_mocker__") as {
  readonly moduleRunner: ModuleRunner;
};
const importAnew = (runner.importAnew ??= runner.import.bind(runner));
/** Modules, not promises: a promise of one request cannot be awaited in another. */
const loaded = new Map<string, unknown>();

runner.import = async (specifier) => {
  if (!loaded.has(specifier)) loaded.set(specifier, await importAnew(specifier));
  return loaded.get(specifier);
};

runner.transport.invokeFromAnyObject ??= runner.transport.invoke;
runner.transport.invoke = runner.transport.invokeFromAnyObject;
