/** Builds the package once for all end-to-end tests, for the examples and the command line. */
import { buildPackage } from "../../scripts/build-package.ts";

export const setup = buildPackage;
