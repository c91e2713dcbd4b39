/** A browser that is killed with -9 and started again with the same profile. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { startProfile } from "../support/device.ts";
import { openLink, PageAgent, waitForLiveText } from "../support/person-page.ts";
import { sharedServer } from "../support/server.ts";

const server = sharedServer();

const SCHEMA = {
  type: "object",
  properties: {
    notes: { type: "string", maxLength: 2_000, title: "Notes" },
    secret: { type: "string", format: "password", title: "Password" },
  },
};

const submit = (page: Page): Promise<void> => page.getByRole("button", { name: "Submit" }).click();

/** All drafts on the browser's disk, as text. */
const draftsOf = (page: Page): Promise<string> =>
  page.evaluate<string>(`(async () => {
    const known = await indexedDB.databases();
    if (!known.some(({ name }) => name === "baton")) return "";
    const answer = (request) =>
      new Promise((settle, fail) => {
        request.onsuccess = () => settle(request.result);
        request.onerror = () => fail(request.error);
      });
    const database = await answer(indexedDB.open("baton"));
    const drafts = await answer(database.transaction("drafts").objectStore("drafts").getAll());
    database.close();
    return JSON.stringify(drafts);
  })()`);

it("a killed browser restores the last typed text, and sends the waiting submit", async () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-profile-"));
  const agent = await PageAgent.create(server, { title: "Booking", schema: SCHEMA });
  const url = await agent.createLink();
  const first = await startProfile(folder);
  await openLink(first.page, url);
  // A browser writes its cookies to disk after half a minute, or after many of them.
  await first.writeCookies(server.url);
  await first.context.setOffline(true);
  await first.page.getByLabel("Notes").fill("The last words");
  await first.page.getByLabel("Password").fill("never on a disk");
  await expect.poll(() => draftsOf(first.page)).toContain("The last words");
  await first.kill();
  const second = await startProfile(folder);
  await second.page.goto(url);
  await waitForLiveText(second.page, /We restored|were not kept/);
  expect(await second.page.getByLabel("Notes").inputValue()).toBe("The last words");
  expect(await second.page.getByLabel("Password").inputValue()).toBe("");
  await expect.poll(async () => (await agent.session()).fields.notes).toBe("The last words");
  // If it were disconnected before it receives the answer, the page would ask the person to choose
  // between two of their own texts.
  await expect.poll(() => draftsOf(second.page)).not.toContain("The last words");
  await second.context.setOffline(true);
  await second.page.getByLabel("Notes").fill("Sent at last");
  await submit(second.page);
  await waitForLiveText(second.page, "will be sent");
  await second.kill();
  const third = await startProfile(folder);
  await third.page.goto(url);
  await third.page.getByText("Submitted. Thank you.").waitFor();
  expect(await agent.session()).toMatchObject({
    state: "submitted",
    fields: { notes: "Sent at last" },
  });
  await third.kill();
  rmSync(folder, { recursive: true, force: true });
});
