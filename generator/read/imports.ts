import type { Declaration } from "../model.ts";
import { SpecError } from "../internal/spec-error.ts";
import { reject, ts } from "./syntax.ts";

/** Core names by their local names in a file. */
export type Imports = ReadonlyMap<string, string>;

/**
 * Reads the imports of an extension from the core: `import type { A, B as C } from "..."`. The module path is ignored, because the generator knows
 * the location of the core.
 *
 * @throws {SpecError} when an import has another form or names an unknown type.
 */
export function readImports(path: string, file: ts.SourceFile, core: readonly Declaration[]): Imports {
  const known = new Set(core.map(({ name }) => name));
  const imports = new Map<string, string>();
  if (core.length === 0) return imports;
  for (const statement of file.statements.filter(ts.isImportDeclaration)) {
    for (const { local, name, node } of readNames(path, statement)) {
      if (!known.has(name)) throw reject(path, node, "the core declares no such type");
      imports.set(local, name);
    }
  }
  return imports;
}

/** @throws {SpecError} when a declaration has the name of a core declaration or of an import. */
export function rejectTaken(
  path: string,
  declarations: readonly Declaration[],
  { imports, core }: { readonly imports: Imports; readonly core: readonly Declaration[] },
): void {
  const taken = new Set([...core.map(({ name }) => name), ...imports.keys()]);
  const twice = declarations.find(({ name }) => taken.has(name));
  if (!twice) return;
  const text = `\`${twice.name}\` is already declared by the core, or imported from it`;
  throw new SpecError({ file: path, ...twice.location, text });
}

interface ImportedName {
  readonly local: string;
  readonly name: string;
  readonly node: ts.Node;
}

function readNames(path: string, statement: ts.ImportDeclaration): ImportedName[] {
  const { importClause: clause } = statement;
  const bindings = clause?.namedBindings;
  const isPlain = clause?.phaseModifier === ts.SyntaxKind.TypeKeyword && clause.name === undefined;
  if (!isPlain || !bindings || !ts.isNamedImports(bindings))
    throw reject(path, statement, "expected `import type { Name } from ...`");
  return bindings.elements.map((node) => ({
    local: node.name.text,
    name: (node.propertyName ?? node.name).text,
    node,
  }));
}
