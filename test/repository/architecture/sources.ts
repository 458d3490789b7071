import { relative } from "node:path";
import { Project, ts, type SourceFile } from "ts-morph";
import { nodesOf } from "./nodes.ts";
import { rooms } from "./rooms.ts";

const project = new Project({ skipAddingFilesFromTsConfig: true, skipFileDependencyResolution: true });

/** Sources that the rules check, read once. */
export const files = project.addSourceFilesAtPaths([
  ".build/*.ts",
  ...rooms.map((room) => `${room}/**/*.{ts,tsx}`),
  "generated/**/*.ts",
  "templates/**/*.ts",
]);

/** Returns the path of a file relative to the repository. */
export function pathOf(file: SourceFile): string {
  return relative(process.cwd(), file.getFilePath());
}

/** True if a file is below a folder. */
export function isIn(file: SourceFile, folder: string): boolean {
  return pathOf(file).startsWith(`${folder}/`);
}

/** Returns the line of a node and the beginning of its text. */
export function quote(node: ts.Node): string {
  const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart());
  return `line ${line + 1}: ${node.getText().split("\n", 1)[0]?.slice(0, 100)}`;
}

const specifiers = new WeakMap<SourceFile, readonly string[]>();

/** Returns the specifiers of everything that a file imports, re-exports, or loads while it runs. */
export function specifiersOf(file: SourceFile): readonly string[] {
  const found = specifiers.get(file) ?? readSpecifiers(file);
  specifiers.set(file, found);
  return found;
}

function readSpecifiers(file: SourceFile): string[] {
  return nodesOf(file).flatMap((node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return readSpecifier(node.moduleSpecifier);
    if (ts.isImportTypeNode(node)) return readSpecifier(ts.isLiteralTypeNode(node.argument) && node.argument.literal);
    const isLoading = ts.isCallExpression(node) && /^(import|createRequire\(.*\))$/.test(node.expression.getText());
    return isLoading ? [readSpecifier(node.arguments[0])[0] ?? "(computed)"] : [];
  });
}

/** Returns the specifier that a node contains, if it is a string. */
export function readSpecifier(node: ts.Node | false | undefined): string[] {
  return node && ts.isStringLiteralLike(node) ? [node.text] : [];
}

/** Returns the path of an imported file, or the specifier of a package. */
export function resolveFrom(path: string, specifier: string): string {
  return specifier.startsWith(".") ? new URL(specifier, `file:///${path}`).pathname.slice(1) : specifier;
}

/** Returns the name of the package that a specifier leads to. */
export function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
