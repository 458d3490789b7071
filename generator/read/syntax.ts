/**
 * The only module with an import of ts-morph: it turns text into a syntax tree. All other modules use only the helpers below, so the parser can be
 * replaced when the compiler API changes.
 */
import { Project, ts } from "ts-morph";
import type { Location } from "../model.ts";
import { SpecError } from "../internal/spec-error.ts";

export { ts };

/** Maximum length in characters, many times the size of any protocol schema. The parser is slow on text other than TypeScript. */
const sizeLimit = 4 * 1024 * 1024;

/** The parser removes a byte order mark, which would shift the positions of everything behind it. A space keeps them. */
const byteOrderMark = /^\uFEFF/;

/**
 * Parses one TypeScript file without using the disk, libraries or the type checker.
 *
 * @throws {SpecError} at the first syntax error, and when the file is too large or has an invalid character.
 */
export function parseSource(path: string, text: string): ts.SourceFile {
  if (text.length > sizeLimit) throw new SpecError({ file: path, text: "the file is larger than 4 MiB" });
  rejectStrangeCharacters(path, text);
  try {
    return parse(path, text.replace(byteOrderMark, " "));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SpecError({ file: path, text: "not a schema: it is nested too deeply to be parsed" });
  }
}

/** Files with references to each other, and the checker for their names. */
export interface OpenFiles {
  readonly sources: readonly ts.SourceFile[];
  readonly checker: ts.TypeChecker;
}

/** Parses files as {@link parseSource} does, by their relative paths. They find each other, and nothing else. */
export function openFiles(files: readonly { readonly name: string; readonly text: string }[]): OpenFiles {
  const project = new Project({
    useInMemoryFileSystem: true,
    skipLoadingLibFiles: true,
    compilerOptions: { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
  });
  const sources = files.map(({ name, text }) => project.createSourceFile(`/${name}`, text));
  const checker = project.getProgram().compilerObject.getTypeChecker();
  return { sources: sources.map(({ compilerNode }) => compilerNode), checker };
}

/** Parses a valid TypeScript file, such as a formatted one. It takes a fraction of the time of `parseSource`. */
export function parseValidSource(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

/** Returns an emitted module as JavaScript, which imports other emitted modules. */
export function toJavaScript(text: string): string {
  const compilerOptions: ts.CompilerOptions = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2022,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
  };
  return ts.transpileModule(text, { compilerOptions }).outputText;
}

function parse(path: string, text: string): ts.SourceFile {
  const project = new Project({
    useInMemoryFileSystem: true,
    skipLoadingLibFiles: true,
    skipFileDependencyResolution: true,
  });
  const file = project.createSourceFile(path.endsWith(".tsx") ? "/schema.tsx" : "/schema.ts", text);
  const source = file.compilerNode;
  // This bypasses the library's own list, which wraps every diagnostic of what may be millions.
  const [problem] = project.getProgram().compilerObject.getSyntacticDiagnostics(source);
  if (problem) {
    const { line, character } = source.getLineAndCharacterOfPosition(problem.start);
    const reason = ts.flattenDiagnosticMessageText(problem.messageText, " ");
    throw new SpecError({ file: path, line: line + 1, column: character + 1, text: `not valid TypeScript: ${reason}` });
  }
  return source;
}

/**
 * Control characters and lone surrogates survive parsing and would corrupt the generated files. CRLF is allowed, because Git checks out files with it
 * on Windows.
 */
function rejectStrangeCharacters(path: string, text: string): void {
  const strange = /(?!\r\n)[^\P{Cc}\t\n]|\p{Cs}/u.exec(text);
  if (!strange) return;
  const before = text.slice(0, strange.index).split("\n");
  const code = strange[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  throw new SpecError({
    file: path,
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
    text: `the character U+${code} is not allowed in a schema`,
  });
}

/** Returns the value of a number literal, if JSON can represent it. `1e999` is valid TypeScript, but infinite. */
export function readFiniteNumber(node: ts.Node): number | undefined {
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken) {
    const value = readFiniteNumber(node.operand);
    return value === undefined ? undefined : -value;
  }
  return ts.isNumericLiteral(node) && Number.isFinite(Number(node.text)) ? Number(node.text) : undefined;
}

/** Returns a name written as an identifier or a text. */
export function plainName(name: ts.PropertyName | undefined): string | undefined {
  return name && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? name.text : undefined;
}

/** Returns the start of a node, without its leading comments. */
export function locationOf(node: ts.Node): Location {
  const file = node.getSourceFile();
  const { line, character } = file.getLineAndCharacterOfPosition(node.getStart(file));
  return { line: line + 1, column: character + 1 };
}

/** Creates an error with the location of a node the model cannot represent. It quotes the start of the node's text. */
export function reject(path: string, node: ts.Node, problem: string): SpecError {
  const text = node.getText().slice(0, 1_000).replace(/\s+/g, " ");
  const quoted = text.length > 80 ? `${text.slice(0, 77)}...` : text;
  return new SpecError({
    file: path,
    ...locationOf(node),
    text: `${problem}: ${ts.SyntaxKind[node.kind]} \`${quoted}\``,
  });
}
