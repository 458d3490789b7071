import ts from "typescript";
import { packageRoot } from "../../generator/internal/package-info.ts";

/** Editor that shows what the language service knows about files with unsaved text. */
export interface Editor {
  write(file: string, text: string): void;
  /** Names of the members of the value that the pattern at a position takes apart. */
  membersAt(file: string, position: number): readonly string[];
  /** Sentence that is shown at a position. */
  hoverAt(file: string, position: number): string;
  /** Names that are proposed at a position. */
  completionsAt(file: string, position: number): readonly string[];
}

/** Opens files in an editor. */
export function openEditor(files: readonly string[]): Editor {
  const texts = new Map<string, { readonly text: string; readonly version: number }>();
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ["node"],
  };
  const service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getCompilationSettings: () => options,
    getScriptFileNames: () => [...files],
    getScriptVersion: (file) => String(texts.get(file)?.version ?? 0),
    getScriptSnapshot: (file) => {
      const text = texts.get(file)?.text ?? ts.sys.readFile(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    fileExists: (file) => texts.has(file) || ts.sys.fileExists(file),
    readFile: (file, encoding) => texts.get(file)?.text ?? ts.sys.readFile(file, encoding),
    getCurrentDirectory: () => packageRoot,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
  return {
    write: (file, text) => void texts.set(file, { text, version: (texts.get(file)?.version ?? 0) + 1 }),
    membersAt(file, position) {
      const program = service.getProgram();
      const source = program?.getSourceFile(file);
      const pattern = source && findPattern(source, position);
      const checker = program?.getTypeChecker();
      if (!pattern || !checker) return [];
      const contextual = checker.getTypeAtLocation(pattern.parent);
      return contextual.getProperties().map(({ name }) => name);
    },
    hoverAt: (file, position) =>
      ts.displayPartsToString(service.getQuickInfoAtPosition(file, position)?.documentation ?? []).trim(),
    completionsAt: (file, position) =>
      (service.getCompletionsAtPosition(file, position, undefined)?.entries ?? []).map(({ name }) => name),
  };
}

function findPattern(source: ts.SourceFile, position: number): ts.ObjectBindingPattern | undefined {
  let found: ts.ObjectBindingPattern | undefined;
  const visit = (node: ts.Node): void => {
    if (ts.isObjectBindingPattern(node) && node.getStart(source) === position) found = node;
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
