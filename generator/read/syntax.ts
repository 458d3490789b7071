/**
 * The one file that imports ts-morph: text in, syntax tree out. Everything else sees only the few helpers
 * below, so that the parser can be replaced when the compiler API moves.
 */
import { Project, ts } from "ts-morph";
import type { Location } from "../model.ts";
import { SpecError } from "./spec-error.ts";

export { ts };

/** Many times the size of any protocol schema; the parser is slow on what is no TypeScript at all. */
const sizeLimit = 4 * 1024 * 1024;

/** Parses one TypeScript file without touching the disk, libraries or the type checker. Throws a {@link SpecError} at the first syntax error. */
export function parseSource(path: string, text: string): ts.SourceFile {
  if (text.length > sizeLimit)
    throw new SpecError({ file: path, text: "the file is larger than 4 MiB, which no schema is" });
  refuseStrangeCharacters(path, text);
  try {
    return parse(path, text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SpecError({ file: path, text: "not a schema: it is nested too deeply to be parsed" });
  }
}

function parse(path: string, text: string): ts.SourceFile {
  const project = new Project({
    useInMemoryFileSystem: true,
    skipLoadingLibFiles: true,
    skipFileDependencyResolution: true,
  });
  const file = project.createSourceFile("/schema.ts", text);
  const source = file.compilerNode;
  // Not the library's own list: it wraps every one of what may be millions.
  const [problem] = project.getProgram().compilerObject.getSyntacticDiagnostics(source);
  if (problem) {
    const { line, character } = source.getLineAndCharacterOfPosition(problem.start);
    const reason = ts.flattenDiagnosticMessageText(problem.messageText, " ");
    throw new SpecError({ file: path, line: line + 1, column: character + 1, text: `not valid TypeScript: ${reason}` });
  }
  return source;
}

/** Control characters and halves of surrogate pairs survive parsing, and would spoil what is generated. Of git's checkouts on Windows lines end with CRLF. */
function refuseStrangeCharacters(path: string, text: string): void {
  const strange = /(?!\r\n)[^\P{Cc}\t\n]|\p{Cs}/u.exec(text);
  if (!strange) return;
  const before = text.slice(0, strange.index).split("\n");
  const code = strange[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  throw new SpecError({
    file: path,
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
    text: `the character U+${code} does not belong in a schema`,
  });
}

/** Where a node starts, its leading comments left out. */
export function locationOf(node: ts.Node): Location {
  const file = node.getSourceFile();
  const { line, character } = file.getLineAndCharacterOfPosition(node.getStart(file));
  return { line: line + 1, column: character + 1 };
}

/** A located complaint about a node that the model has no place for, quoting the start of its text. */
export function refuse(path: string, node: ts.Node, problem: string): SpecError {
  const text = node.getText().replace(/\s+/g, " ");
  const quoted = text.length > 80 ? `${text.slice(0, 77)}...` : text;
  return new SpecError({
    file: path,
    ...locationOf(node),
    text: `${problem}: ${ts.SyntaxKind[node.kind]} \`${quoted}\``,
  });
}
