import type { Declaration, OmitShape, ReferenceShape, Shape } from "../model.ts";
import { mapShape } from "../model/shapes.ts";
import { SpecError } from "../internal/spec-error.ts";
import { reject, ts } from "./syntax.ts";

/** Core names by the local names that a file gives to them. */
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

/**
 * Returns the declarations with imported types under their core names.
 *
 * @throws {SpecError} when a declaration has the name of a core declaration or an import.
 */
export function withCoreNames(
  path: string,
  declarations: readonly Declaration[],
  { imports, core }: { readonly imports: Imports; readonly core: readonly Declaration[] },
): Declaration[] {
  const taken = new Set([...core.map(({ name }) => name), ...imports.keys()]);
  const twice = declarations.find(({ name }) => taken.has(name));
  if (twice) {
    const text = `\`${twice.name}\` is already declared by the core, or imported from it`;
    throw new SpecError({ file: path, ...twice.location, text });
  }
  const rename = (shape: Shape): Shape => {
    if (shape.kind === "reference") return renamed(shape, imports);
    return shape.kind === "omit" ? { ...shape, base: renamed(shape.base, imports) } : shape;
  };
  const renameBase = (base: ReferenceShape | OmitShape): ReferenceShape | OmitShape =>
    base.kind === "reference" ? renamed(base, imports) : { ...base, base: renamed(base.base, imports) };
  return declarations.map((declaration) => ({
    ...declaration,
    extends: declaration.extends.map(renameBase),
    shape: mapShape(declaration.shape, rename),
  }));
}

function renamed(shape: ReferenceShape, imports: Imports): ReferenceShape {
  return { kind: "reference", name: imports.get(shape.name) ?? shape.name };
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
