/**
 * Lets scripts import the sources as they are: in src the bundler completes the names of files, and
 * Node does not. To be imported before anything of src.
 */
import { registerHooks } from "node:module";

registerHooks({
  resolve(specifier, context, next) {
    const isSource = specifier.startsWith(".") && context.parentURL?.includes("/src/") === true;
    return next(isSource && !/\.\w+$/.test(specifier) ? `${specifier}.ts` : specifier, context);
  },
});
