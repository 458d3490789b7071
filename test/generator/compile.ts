import { dirname, join } from "node:path";
import ts from "typescript";
import { strictest } from "../types/compile.ts";

/** Returns the errors of the compiler for files, under the strictest settings that a user may have, apart from these. */
export function compile(files: readonly string[], different: object = {}): string[] {
  const settings = {
    ...strictest,
    noPropertyAccessFromIndexSignature: true,
    isolatedDeclarations: true,
    declaration: true,
    // The files are sources only.
    skipLibCheck: true,
    ...different,
  };
  const { options, errors } = ts.convertCompilerOptionsFromJson(settings, repository);
  const host = createHost(options);
  const program = ts.createProgram({ rootNames: files, options, host, configFileParsingDiagnostics: errors });
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
    return `${file?.fileName.split("/").slice(-2).join("/")}:${line} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}

const libraries = new Map<string, ts.SourceFile | undefined>();

/** Creates a host that reads the libraries of the compiler once: they are most of what it reads for small files. */
function createHost(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const folder = host.getDefaultLibLocation?.() ?? "";
  return {
    ...host,
    getSourceFile(path, ...settings) {
      if (dirname(path) !== folder) return host.getSourceFile(path, ...settings);
      const source = libraries.get(path) ?? host.getSourceFile(path, ...settings);
      libraries.set(path, source);
      return source;
    },
  };
}

/** Settings of projects with `strict` alone. Types of indexed members then lack `undefined`, and the compiler rejects comparisons that it takes for pointless. */
export const onlyStrict = { exactOptionalPropertyTypes: false, noUncheckedIndexedAccess: false };

/** A module's folder must say that it is one. */
export const modulePackage = JSON.stringify({ type: "module" });

/** Root of this repository. */
export const repository: string = join(import.meta.dirname, "..", "..");
