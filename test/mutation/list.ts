import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Node, Project } from "ts-morph";
import { folderOf, root } from "./folders.ts";
import { readChange, type Change } from "./report.ts";
import { install, packages } from "./stryker.ts";

/** Mutant as Stryker makes it, before its run. The numbers of its place start at 0. */
interface MadeMutant {
  readonly fileName: string;
  readonly location: { readonly start: Place; readonly end: Place };
  readonly replacement: string;
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** A mutant before its run. */
export interface ListedMutant extends Change {
  readonly made: MadeMutant;
}

/** The part of Stryker for making mutants. */
interface InstrumenterModule {
  readonly Instrumenter: new (logger: object) => {
    instrument(files: readonly object[], options: object): Promise<{ readonly mutants: readonly MadeMutant[] }>;
  };
}

/** Lists the mutants of a folder. */
export async function listMutants(folder: string): Promise<readonly ListedMutant[]> {
  await install();
  const { Instrumenter }: InstrumenterModule = await import(join(packages, "instrumenter", "dist", "src", "index.js"));
  const instrumenter = new Instrumenter({ debug() {}, info() {}, isDebugEnabled: () => false });
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  const files = paths
    .map((path) => join(folder, path))
    .filter((path) => path.endsWith(".ts") && folderOf(path) === folder);
  const listed = files.toSorted().map(async (file): Promise<readonly ListedMutant[]> => {
    const name = join(root, file);
    const content = readFileSync(name, "utf8");
    const options = { plugins: null, excludedMutations: [], ignorers: [] };
    const { mutants } = await instrumenter.instrument([{ name, mutate: true, content }], options);
    const lines = content.split("\n");
    return mutants.map((made) => {
      const [start, end] = [fromOne(made.location.start), fromOne(made.location.end)];
      return { ...readChange(file, lines, { replacement: made.replacement, location: { start, end } }), made };
    });
  });
  return (await Promise.all(listed)).flat();
}

function fromOne({ line, column }: Place): Place {
  return { line: line + 1, column: column + 1 };
}

/** Returns a predicate: the innermost function around a mutant awaits. */
export function createAwaitFinder(): (mutant: ListedMutant) => boolean {
  const project = new Project({ useInMemoryFileSystem: true });
  return ({ file, made: { fileName, location } }) => {
    const source = project.getSourceFile(file) ?? project.createSourceFile(file, readFileSync(fileName, "utf8"));
    const position = source.compilerNode.getPositionOfLineAndCharacter(location.start.line, location.start.column);
    const around = source.getDescendantAtPos(position)?.getFirstAncestor(Node.isFunctionLikeDeclaration);
    return around?.getDescendants().some(Node.isAwaitExpression) ?? false;
  };
}
