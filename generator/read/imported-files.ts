import { posix } from "node:path";
import type { Location } from "../model.ts";
import { locationOf, parseSource, reject, ts } from "./syntax.ts";

/** Text of one file, before it is parsed. */
export interface SchemaFile {
  /** Path relative to the folder of the first file, with forward slashes: `types/content.ts`. */
  readonly name: string;
  /** Path or address for messages. */
  readonly path: string;
  readonly text: string;
}

/** Path of a file in an import or an export. */
export interface ImportedFile {
  /** Its path relative to the folder of the first file. */
  readonly name: string;
  /** The import, for messages. */
  readonly location: Location;
}

/**
 * Finds the files from which a file of a schema imports or exports names. Each must be in the folder of the schema.
 *
 * @throws {SpecError} when an import has another form, or leads to another place
 */
export function findImports({ name, path, text }: SchemaFile): readonly ImportedFile[] {
  return parseSource(path, text).statements.flatMap((statement) => {
    if (!isImportOrExport(statement)) return [];
    rejectOtherForms(path, statement);
    if (!statement.moduleSpecifier) return [];
    return [{ name: resolveFile(path, name, statement.moduleSpecifier), location: locationOf(statement) }];
  });
}

/** True if a file exports a declaration under another name: `export { A as B }`. */
export function renamesExports({ path, text }: SchemaFile): boolean {
  return parseSource(path, text).statements.some((statement) => {
    const names = ts.isExportDeclaration(statement) ? statement.exportClause : undefined;
    return names !== undefined && ts.isNamedExports(names) && names.elements.some(({ propertyName }) => propertyName);
  });
}

/** True for an import, or for an export without a declaration. */
export function isImportOrExport(node: ts.Node): node is ts.ImportDeclaration | ts.ExportDeclaration {
  return ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
}

function rejectOtherForms(path: string, statement: ts.ImportDeclaration | ts.ExportDeclaration): void {
  if (statement.attributes) throw reject(path, statement, "an import of a schema has no attributes");
  if (ts.isExportDeclaration(statement)) {
    if (!statement.exportClause || ts.isNamedExports(statement.exportClause)) return;
    throw reject(path, statement, "expected `export * from ...` or `export { Name } from ...`");
  }
  if (!statement.importClause?.namedBindings || statement.importClause.name)
    throw reject(path, statement, "expected `import type { Name } from ...`");
}

/** Returns the path of an imported file. The names of folders and files must be plain: every system reads them in the same way. */
function resolveFile(path: string, from: string, specifier: ts.Expression): string {
  const written = ts.isStringLiteralLike(specifier) ? specifier.text : "";
  if (!/^\.{1,2}(?:\/[\w.-]+)+$/.test(written))
    throw reject(path, specifier, 'a schema imports files of its own folder only, such as "./types.ts"');
  const name = posix.join(posix.dirname(from), written);
  if (name.startsWith("..")) throw reject(path, specifier, "the file is outside of the folder of the schema");
  const extension = /\.[jt]s$/.exec(name)?.[0] ?? "";
  return `${name.slice(0, name.length - extension.length)}.ts`;
}
