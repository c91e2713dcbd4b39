/**
 * Finds the public names of the package that have a doc comment. It queries the compiler as an editor
 * does for completion: every export of every entry, and every member of its type.
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  API,
  SymbolFlags,
  TypeFlags,
  type Checker,
  type Symbol,
  type Type,
  type UnionType,
} from "typescript/unstable/sync";

export interface Counted {
  readonly documented: number;
  /** `file: Name.member` of each name without one. */
  readonly bare: readonly string[];
}

/** Counts these entries of the sources below `root`. `ambient` only declares modules that are not installed. */
export function countComments(
  root: string,
  entries: readonly string[],
  ambient: readonly string[] = [],
): Counted {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "baton-comments-"));
  const config = join(folder, "tsconfig.json");
  const files = [...entries, ...ambient].map((entry) => join(root, entry));
  const compilerOptions = {
    module: "esnext",
    moduleResolution: "bundler",
    target: "es2023",
    strict: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: [],
  };
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  const api = new API();
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error("the compiler opened no project");
    const { program, checker } = project;
    const count = new Count(checker, root);
    for (const entry of entries) {
      const source = program.getSourceFile(join(root, entry));
      const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
      if (module === undefined) throw new Error(`${entry} exports nothing`);
      for (const symbol of checker.getExportsOfModule(module)) count.take(symbol, entry);
    }
    return count;
  } finally {
    api.close();
    rmSync(folder, { recursive: true });
  }
}

class Count implements Counted {
  documented = 0;
  readonly bare: string[] = [];
  readonly #checker: Checker;
  readonly #root: string;
  readonly #seen = new Set<number>();

  constructor(checker: Checker, root: string) {
    this.#checker = checker;
    this.#root = root;
  }

  take(exported: Symbol, entry: string): void {
    const isAlias = (exported.flags & SymbolFlags.Alias) !== 0;
    const symbol = isAlias ? this.#checker.getAliasedSymbol(exported) : exported;
    const location = `${entry}: ${exported.name}`;
    if (!this.#isNew(symbol)) return;
    this.#check(symbol, location);
    const type = this.#checker.getDeclaredTypeOfSymbol(symbol);
    if (type !== undefined) this.#members(type, location);
    if ((symbol.flags & SymbolFlags.Class) === 0) return;
    const statics = this.#checker.getTypeOfSymbol(symbol);
    if (statics !== undefined) this.#members(statics, location);
  }

  #members(type: Type, location: string): void {
    const isUnion = (type.flags & TypeFlags.Union) !== 0;
    for (const one of isUnion ? (type as UnionType).getTypes() : [type]) {
      for (const member of this.#checker.getPropertiesOfType(one)) {
        if (this.#isPublic(member) && this.#isNew(member)) {
          this.#check(member, `${location}.${member.name}`);
        }
      }
    }
  }

  /** Excludes members that every class has, and members of the platform's classes. */
  #isPublic({ name, declarations }: Symbol): boolean {
    if (name === "prototype" || name.includes("#")) return false;
    return declarations.some(({ path }) => path.startsWith(this.#root));
  }

  #isNew({ id }: Symbol): boolean {
    const isNew = !this.#seen.has(id);
    this.#seen.add(id);
    return isNew;
  }

  #check(symbol: Symbol, location: string): void {
    if (symbol.getDocumentationComment(this.#checker).trim() === "") this.bare.push(location);
    else this.documented += 1;
  }
}
