/** `npm run backup` and `npm run restore`: copies a data folder while its server runs, and restores it. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { BackupError, backUp, restore } from "./backup-folder.ts";

const HELP = `Usage: npm run backup -- <new folder> [--data .baton]
       npm run restore -- <backup> [--data .baton]

backup   copies the data folder, also while its server runs
restore  puts a backup into a data folder that does not exist yet or is empty`;

// SQLite and Node create files with these permissions: only the owner can read the copy.
process.umask(0o077);

async function run(): Promise<string> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      data: { type: "string", default: ".baton" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return HELP;
  const [what, named, ...more] = positionals;
  if (named === undefined || more.length > 0) throw new BackupError(HELP);
  const [folder, data] = [resolve(named), resolve(values.data)];
  const { files, takenAt } =
    what === "restore" ? restore(folder, data) : await backUp(data, folder);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const size = `${files.length} files, ${bytes.toLocaleString("en")} bytes`;
  return what === "restore"
    ? `Restored ${size}, as of ${takenAt}, into ${data}.`
    : `Backed up ${size} into ${folder}. It contains all fields and the server's keys: protect it like the data folder.`;
}

try {
  console.log(await run());
} catch (error) {
  if (error instanceof TypeError || error instanceof BackupError) console.error(error.message);
  else console.error(error);
  process.exitCode = 1;
}
