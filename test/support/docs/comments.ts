/**
 * Which public names of the package have a doc comment, asked of the compiler as an editor asks it for
 * completion: every export of every entry, and every member that its type has.
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
  /** `file: Name.member` of each that has none. */
  readonly bare: readonly string[];
}

/** Of the sources below `root`, these entries; `beside` only declares modules that are not installed. */
export function countComments(
  root: string,
  entries: readonly string[],
  beside: readonly string[] = [],
): Counted {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "baton-comments-"));
  const config = join(folder, "tsconfig.json");
  const files = [...entries, ...beside].map((entry) => join(root, entry));
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
    const place = `${entry}: ${exported.name}`;
    if (!this.#isNew(symbol)) return;
    this.#check(symbol, place);
    const type = this.#checker.getDeclaredTypeOfSymbol(symbol);
    if (type !== undefined) this.#members(type, place);
    if ((symbol.flags & SymbolFlags.Class) === 0) return;
    const statics = this.#checker.getTypeOfSymbol(symbol);
    if (statics !== undefined) this.#members(statics, place);
  }

  #members(type: Type, place: string): void {
    const isUnion = (type.flags & TypeFlags.Union) !== 0;
    for (const one of isUnion ? (type as UnionType).getTypes() : [type]) {
      for (const member of this.#checker.getPropertiesOfType(one)) {
        if (this.#isPublic(member) && this.#isNew(member)) {
          this.#check(member, `${place}.${member.name}`);
        }
      }
    }
  }

  /** Not what a class has by itself, nor what comes from a class of the platform. */
  #isPublic({ name, declarations }: Symbol): boolean {
    if (name === "prototype" || name.includes("#")) return false;
    return declarations.some(({ path }) => path.startsWith(this.#root));
  }

  #isNew({ id }: Symbol): boolean {
    const isNew = !this.#seen.has(id);
    this.#seen.add(id);
    return isNew;
  }

  #check(symbol: Symbol, place: string): void {
    if (symbol.getDocumentationComment(this.#checker).trim() === "") this.bare.push(place);
    else this.documented += 1;
  }
}
