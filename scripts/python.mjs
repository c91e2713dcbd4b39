/**
 * Runs the checks of the Python client in a virtual environment below build/. Exits with status 0 if all
 * passed and 1 if not. Without Python 3.10 or newer it prints a message and exits with status 77.
 * Nothing else in the project needs Python.
 *
 *   node scripts/python.mjs          what npm test runs
 *   node scripts/python.mjs --long   200 kills, many seeds of a bad network, pyright, the package,
 *                                    and the adapters with their frameworks' own suites
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectEnvironment, ROOT } from "./install.mjs";

const PACKAGE = join(ROOT, "clients/python");
const SCRIPTS_FOLDER = process.platform === "win32" ? "Scripts" : "bin";
const VENV = join(ROOT, "build/python/venv");
const BIN = join(VENV, SCRIPTS_FOLDER);
/** The environment with the adapters' frameworks. */
const ADAPTERS = join(ROOT, "build/python/adapters");
const ADAPTERS_BIN = join(ADAPTERS, SCRIPTS_FOLDER);
const NAMES = ["python3", "python", "python3.13", "python3.12", "python3.11", "python3.10"];
const NO_PYTHON = 77;

/** Bytecode is compiled once for all processes and stored outside the sources. */
const COMPILED = {
  PYTHONDONTWRITEBYTECODE: "",
  PYTHONPYCACHEPREFIX: join(ROOT, "build/python/compiled"),
};

function run(command, args, options = {}) {
  const env = { ...projectEnvironment(), ...COMPILED, ...options.env };
  return spawnSync(command, args, { cwd: PACKAGE, stdio: "inherit", ...options, env }).status ?? 1;
}

const findPython = () =>
  NAMES.find(
    (name) =>
      run(name, ["-c", "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))"], {
        stdio: "ignore",
      }) === 0,
  );

/** Created again if the pinned versions or the package's metadata changed. */
function ensureEnvironment(python, folder, lists) {
  const stamp = join(folder, "installed");
  const pinned = [...lists, "pyproject.toml"]
    .map((name) => readFileSync(join(PACKAGE, name), "utf8"))
    .join("\n");
  const expected = createHash("sha256").update(pinned).digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === expected) return true;
  rmSync(folder, { recursive: true, force: true });
  const own = join(folder, SCRIPTS_FOLDER, "python");
  const quiet = ["-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps"];
  const install = (...what) => run(own, [...quiet, "--no-build-isolation", ...what]) === 0;
  const isMade =
    run(python, ["-m", "venv", folder]) === 0 &&
    lists.every((list) => install("-r", list)) &&
    install("-e", ".");
  if (isMade) writeFileSync(stamp, expected);
  return isMade;
}

const isLong = process.argv.includes("--long");
const CHECKS = [
  ["ruff", join(BIN, "ruff"), ["check", "."]],
  ["format", join(BIN, "ruff"), ["format", "--check", "."]],
  ["mypy", join(BIN, "mypy"), []],
  ["tests", join(BIN, "pytest"), []],
];
const LONG_CHECKS = [
  ["pyright", join(BIN, "pyright"), ["--pythonpath", join(BIN, "python")]],
  ["adapters: mypy", join(ADAPTERS_BIN, "mypy"), ["--config-file", "mypy-adapters.ini"]],
  [
    "adapters: pyright",
    join(BIN, "pyright"),
    ["--project", "pyright-adapters.json", "--pythonpath", join(ADAPTERS_BIN, "python")],
  ],
  // Adapters live as long as their process, so their clients are not closed.
  [
    "adapters: the frameworks' own suites",
    join(ADAPTERS_BIN, "pytest"),
    [
      "tests/adapters",
      ...["ResourceWarning", "pytest.PytestUnraisableExceptionWarning"].flatMap((name) => [
        "-W",
        `ignore::${name}`,
      ]),
    ],
  ],
];
const LONG = {
  PYTHON_KILLS: "200",
  PYTHON_WORK: "40",
  PYTHON_SEEDS: "25",
  PYTHON_STEPS: "80",
  PYTHON_PLAYERS: "blocking asyncio",
  PYTHON_PACKAGE: "1",
};

const python = findPython();
if (python === undefined) {
  console.log("There is no Python 3.10 or newer here: the Python client was not tested.");
  process.exit(NO_PYTHON);
}
const REQUIREMENTS = ["requirements.txt"];
const isReady =
  ensureEnvironment(python, VENV, REQUIREMENTS) &&
  (!isLong || ensureEnvironment(python, ADAPTERS, [...REQUIREMENTS, "requirements-adapters.txt"]));
if (!isReady) {
  console.log("The Python environment could not be made; see above.");
  process.exit(1);
}
const checks = isLong ? [...CHECKS, ...LONG_CHECKS] : CHECKS;
const failed = checks.filter(([name, command, args]) => {
  const status = run(command, args, { env: isLong ? LONG : {} });
  console.log(`${status === 0 ? "✓" : "✗"} Python: ${name}`);
  return status !== 0;
});
process.exit(failed.length === 0 ? 0 : 1);
