/** A booking that a person fills in on a phone, for tests that no typed text is lost. */
import type { Browser, Page } from "playwright-core";
import { openDevice, type Device } from "./device.ts";
import { openLink, PageAgent } from "./person-page.ts";
import type { SharedServer } from "./server.ts";

const SCHEMA = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", title: "Name" },
    "Home town": { type: "string" },
    size: { enum: ["small", "large"], title: "Size" },
    notes: { type: "string", maxLength: 2_000, title: "Notes" },
    secret: { type: "string", format: "password", title: "Password" },
    guests: { type: "integer", title: "Guests" },
    scan: {
      type: "object",
      format: "file",
      title: "Scan",
      accept: ["text/plain"],
      maxBytes: 1_000,
    },
    tags: { type: "array", title: "Tags", items: { type: "string" } },
  },
};

export const createBooking = (server: Pick<SharedServer, "client">): Promise<PageAgent> =>
  PageAgent.create(server, { title: "Booking", schema: SCHEMA, fields: { name: "Concert" } });

export async function openBooking(browser: Browser, url: string): Promise<Device> {
  const device = await openDevice(browser, { isPhone: true });
  await openLink(device.page, url);
  return device;
}

/** The browser's offline mode ends when the page is left, and the page would then send its queue. */
export const disconnect = (page: Page): Promise<unknown> =>
  page.evaluate("globalThis.fetch = () => Promise.reject(new TypeError('cut off'))");

export async function closeDisconnected(page: Page): Promise<void> {
  await disconnect(page);
  await page.close();
}

export const submit = (page: Page): Promise<void> =>
  page.getByRole("button", { name: "Submit" }).click();
