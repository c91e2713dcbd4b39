/** Once for all end-to-end tests: the package as it would be installed, for examples and the command line. */
import { buildPackage } from "../../scripts/build-package.ts";

export const setup = buildPackage;
