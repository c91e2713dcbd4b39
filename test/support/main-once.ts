/**
 * Setup of every file that runs in the Worker's runtime. The runner requests the
 * Worker's main module from the test process on every request and every call of an object: two round
 * trips each, which took longer than most requests, and which fail the run if they are still open at
 * its end. Here the module is requested once per file and cached.
 *
 * With every file the runner also wraps its import function in another call of an object. The first
 * wrapper is enough.
 */
interface Transport {
  invoke: unknown;
  /** The function of the first file. */
  invokeFromAnyObject?: unknown;
}

interface ModuleRunner {
  readonly transport: Transport;
  import(specifier: string): Promise<unknown>;
  /** The import without the cache, stored so that a later file does not wrap the wrapper. */
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
