import { join } from "node:path";
import ts from "typescript";
import { strictest } from "../types/compile.ts";

/** Returns the errors of the compiler for files, under the strictest settings that a user may have. */
export function compile(files: readonly string[]): string[] {
  const settings = {
    ...strictest,
    noPropertyAccessFromIndexSignature: true,
    isolatedDeclarations: true,
    declaration: true,
  };
  const { options, errors } = ts.convertCompilerOptionsFromJson(settings, repository);
  const program = ts.createProgram({ rootNames: files, options, configFileParsingDiagnostics: errors });
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
    return `${file?.fileName.split("/").slice(-2).join("/")}:${line} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}

/** A module's folder must say that it is one. */
export const modulePackage = JSON.stringify({ type: "module" });

/** Root of this repository. */
export const repository: string = join(import.meta.dirname, "..", "..");
