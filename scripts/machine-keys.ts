/**
 * Records for `baton` on this machine where the key of a server is stored, and removes the record when
 * the server stops. If the config folder is not writable, the server starts anyway.
 */
await import("./settings/ts-imports.ts");
const { Home } = await import("../src/cli/home.ts");
const { noteKey } = await import("../src/cli/machine-keys.ts");

const { folder } = new Home(process.env);

export async function rememberKey(url: string, file: string): Promise<void> {
  await note(url, file);
}

export async function forgetKey(url: string): Promise<void> {
  await note(url, null);
}

async function note(url: string, file: string | null): Promise<void> {
  try {
    await noteKey(folder, url, file);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    console.error(
      `Warning: ${folder} could not be written to, so \`baton\` does not find the key: ${why}`,
    );
  }
}
