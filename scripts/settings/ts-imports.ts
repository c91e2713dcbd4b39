/**
 * Lets scripts import the sources directly: in src the bundler adds file extensions, and Node does not.
 * Import it before anything of src.
 */
import { registerHooks } from "node:module";

registerHooks({
  resolve(specifier, context, next) {
    const isSource = specifier.startsWith(".") && context.parentURL?.includes("/src/") === true;
    return next(isSource && !/\.\w+$/.test(specifier) ? `${specifier}.ts` : specifier, context);
  },
});
