/** Once for all end-to-end tests, because lanes that unpack the bundled browser at once start half of one. */
import { browserOptions } from "./browser.ts";

export async function setup(): Promise<void> {
  await browserOptions();
}
