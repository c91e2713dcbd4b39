/** Once for all end-to-end tests: the package as it would be installed, for examples and the command line. */
import { join } from "node:path";
import { bundlePackage } from "../../scripts/build-package.ts";

export const setup = (): Promise<void> => bundlePackage(join(import.meta.dirname, "../../dist"));
