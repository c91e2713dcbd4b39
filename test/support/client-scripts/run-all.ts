/** Runs all client scripts with one client, and then with each planted bug, which a script must find. */
import { clientScripts } from "./script.ts";
import { ClientProcesses } from "./client-process.ts";
import { runScript } from "./run-script.ts";

export interface ScriptResult {
  readonly title: string;
  readonly isPassed: boolean;
  readonly why: readonly string[];
}

/** Bugs that every player can simulate, each with the script that must fail. */
export const PLANTED: Readonly<Record<string, string>> = {
  "forgets-pending": "killed-after.json",
  "keeps-token": "lost-answers.json",
  "fresh-key": "lost-answers.json",
  "no-if-match": "conflict.json",
  "no-lock": "one-name.json",
};

export async function* runAllScripts(
  url: string,
  command: readonly string[],
  only: readonly string[] = [],
): AsyncGenerator<ScriptResult> {
  const isSelected = (file: string): boolean => only.length === 0 || only.includes(file);
  await using processes = new ClientProcesses(command);
  const scripts = clientScripts().filter(({ file }) => isSelected(file));
  for (const script of scripts) {
    const why = await runScript(script, url, processes);
    yield { title: `${script.file}: ${script.title}`, isPassed: why.length === 0, why };
  }
  for (const [bug, file] of Object.entries(PLANTED)) {
    const script = scripts.find((one) => one.file === file);
    const why = script === undefined ? [] : await runScript(script, url, processes, bug);
    const title = `the bug "${bug}" is found by ${file}`;
    yield { title, isPassed: why.length > 0, why: why.length > 0 ? [] : ["it was not found"] };
  }
}
