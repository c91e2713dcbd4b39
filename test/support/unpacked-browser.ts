/** Unpacks the bundled browser once for all end-to-end tests: concurrent lanes would start an incomplete one. */
import { browserOptions } from "./browser.ts";

export async function setup(): Promise<void> {
  await browserOptions();
}
