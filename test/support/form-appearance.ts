/** The combinations of device, colour scheme, script and input method in which the twelve forms are answered. */
import type { Browser } from "playwright-core";
import { expect } from "vitest";
import { KEYBOARD, POINTER, type FormInput } from "./answer-form.ts";
import { openDevice, type DeviceOptions } from "./device.ts";
import { axeIssues } from "./axe.ts";
import type { FORMS } from "./real-forms.ts";
import type { SharedServer } from "./server.ts";

type RealForm = (typeof FORMS)[number];

/** An optional folder for screenshots. */
const SHOTS = process.env["BATON_SHOTS"];

export interface FormAppearance {
  readonly name: string;
  readonly options: DeviceOptions;
  readonly input: FormInput;
}

const BOTH = [true, false];

export const FORM_APPEARANCES: readonly FormAppearance[] = BOTH.flatMap((isPhone) =>
  BOTH.flatMap((isDark) =>
    BOTH.flatMap((isWithoutScript) =>
      [KEYBOARD, POINTER].map((input) => ({
        name: [
          isPhone ? "phone" : "desk",
          isDark ? "dark" : "light",
          isWithoutScript ? "no script" : "script",
          input === KEYBOARD ? "keyboard" : "pointer",
        ].join(", "),
        options: { isPhone, isDark, isWithoutScript },
        input,
      })),
    ),
  ),
);

export async function createFormLink({ client }: Pick<SharedServer, "client">, form: RealForm) {
  const session = await client.create({ title: form.name, schema: form.schema });
  const handoff = await client.on(session, "POST", "/handoffs", {
    token: session.token,
    body: { to: "human", scopes: ["fill"], question: `Please fill in: ${form.name}` },
  });
  expect(handoff.status, handoff.text).toBe(201);
  return {
    session,
    token: handoff.body.resumeToken as string,
    url: handoff.body.handoff.url as string,
  };
}

/** Answers a form from the link to the agent's session. The first submit must succeed. */
export async function answerForm(
  server: SharedServer,
  browser: Browser,
  form: RealForm,
  { name, options, input }: FormAppearance,
): Promise<void> {
  const { session, token, url } = await createFormLink(server, form);
  const { page, context, troubles } = await openDevice(browser, options);
  await page.goto(url);
  await input.open(page);
  await page.locator("#status").waitFor();
  for (const step of form.steps) {
    await input.perform(page, step);
    const isSent = step[1] === "attach" && options.isWithoutScript !== true;
    if (isSent) await page.getByRole("link", { name: step[2]?.split(",").at(-1) ?? "" }).waitFor();
  }
  if (SHOTS !== undefined) {
    await page.screenshot({ path: `${SHOTS}/${form.name} (${name}).png`, fullPage: true });
  }
  if (options.isWithoutScript !== true) expect(await axeIssues(page)).toEqual([]);
  await input.submit(page);
  await page.getByText("Submitted. Thank you.").waitFor();
  const { fields, state } = (await server.client.on(session, "GET", "", { token })).body.session;
  expect([state, fields]).toMatchObject(["submitted", form.expects]);
  expect(Object.keys(fields).sort()).toEqual(Object.keys(form.expects).sort());
  expect(troubles).toEqual([]);
  await context.close();
}
