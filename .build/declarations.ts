import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import ts from "typescript";

/**
 * Returns the texts of the given declaration files and of all files that they import, by path relative to a folder. Imports name the compiled modules,
 * which every compiler resolves.
 */
export function reachDeclarations(root: string, entries: readonly string[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const wanted = new Set(entries);
  for (const path of wanted) {
    const text = readFileSync(join(root, path), "utf8");
    const imports = ts.preProcessFile(text).importedFiles.filter(({ fileName }) => fileName.startsWith("."));
    for (const { fileName } of imports) wanted.add(posix.join(posix.dirname(path), toDeclaration(fileName)));
    texts.set(path, renameImports(text, imports));
  }
  return texts;
}

function toDeclaration(specifier: string): string {
  return specifier.replace(/\.ts$/, ".d.ts");
}

/** Replaces `.ts` by `.js` at the end of every import. The last import comes first, so that the places of the others stay. */
function renameImports(text: string, imports: readonly ts.FileReference[]): string {
  return imports.toReversed().reduce((whole, { fileName, pos }) => {
    const start = whole.indexOf(fileName, pos);
    return `${whole.slice(0, start)}${fileName.replace(/\.ts$/, ".js")}${whole.slice(start + fileName.length)}`;
  }, text);
}
