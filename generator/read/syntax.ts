/**
 * The one file that imports ts-morph: text in, syntax tree out. Everything else sees only the few helpers below, so that the
 * parser can be replaced when the compiler API moves.
 */
import { Project, ts } from "ts-morph";
import type { Location } from "../model.ts";
import { SpecError } from "./spec-error.ts";

export { ts };

/** Parses one TypeScript file without touching the disk, libraries or the type checker. Throws a {@link SpecError} at the first syntax error. */
export function parseSource(path: string, text: string): ts.SourceFile {
  const project = new Project({
    useInMemoryFileSystem: true,
    skipLoadingLibFiles: true,
    skipFileDependencyResolution: true,
  });
  const file = project.createSourceFile("/schema.ts", text);
  const [problem] = project.getProgram().getSyntacticDiagnostics(file);
  if (problem) {
    const message = problem.getMessageText();
    const text = typeof message === "string" ? message : message.getMessageText();
    const { line, column } = file.getLineAndColumnAtPos(problem.getStart());
    throw new SpecError({ file: path, line, column, text: `not valid TypeScript: ${text}` });
  }
  return file.compilerNode;
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
