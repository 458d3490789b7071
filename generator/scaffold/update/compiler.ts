import process from "node:process";
import { dirname, join, sep } from "node:path";
import { ts } from "../../read/syntax.ts";
import { UserError } from "../../internal/user-error.ts";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { packageRoot } from "../../internal/package-info.ts";
import { readCompilerOptions } from "../init/typescript-settings.ts";

/** Error reported by the compiler. */
export interface CompileError {
  /** Absolute path of the source file. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** A program as its `tsconfig.json` describes it. */
export interface ProgramPlace {
  /** Path of the program's `tsconfig.json`. */
  readonly config: string;
  /** Folder with the declarations of the language itself, such as `lib.es5.d.ts`. */
  readonly library: string;
  /** Absolute paths of the files to compile and report on. */
  readonly files: readonly string[];
}

/** Folder or file with other content than on disk. */
export interface Replacement {
  /** Absolute path of the replaced folder or file. */
  readonly place: string;
  /** All files of the folder, by path relative to it, with forward slashes. For a file, the path is empty. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Options of a compilation. */
export interface FindOptions {
  readonly replaced?: Replacement;
  /** Texts of sources where they differ from the disk, by absolute path. */
  readonly texts?: ReadonlyMap<string, string>;
  /** Absolute paths of the files to report on. Default: all files of the program. */
  readonly among?: Iterable<string>;
}

/** Compiler of one program in several states. It reads and parses unchanged files, such as the declarations of libraries, only once. */
export interface Compiler {
  /** Returns the errors in files of the program, as it is on disk or with a replaced part. */
  findErrors(options?: FindOptions): CompileError[];
}

/** Creates a compiler for a program. @throws {UserError} when the settings of the program cannot be read. */
export function createCompiler({ config, library, files }: ProgramPlace): Compiler {
  const { options, problem } = readCompilerOptions(config);
  if (problem !== undefined) throw new UserError(`${config} cannot be read: ${problem}`);
  const parsed = new Map<string, ts.SourceFile>();
  return {
    findErrors({ replaced, texts = new Map(), among = files } = {}) {
      const host = createHost({ options, library, parsed }, { replaced, texts: withSlashes(texts) });
      const program = ts.createProgram({ rootNames: files, options, host });
      return [...among].flatMap((file) => errorsOf(program, file));
    },
  };
}

interface Shared {
  readonly options: ts.CompilerOptions;
  readonly library: string;
  /** Parsed files, by path; shared between compilations. */
  readonly parsed: Map<string, ts.SourceFile>;
}

/** The compiler uses forward slashes in paths on every platform. */
function withSlashes(texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...texts].map(([path, text]) => [path.split(sep).join("/"), text]));
}

/** Differences of a program from the one on disk. */
interface Differences {
  readonly replaced: Replacement | undefined;
  /** Texts of sources, by absolute path with forward slashes. */
  readonly texts: ReadonlyMap<string, string>;
}

function createHost({ options, library, parsed }: Shared, { replaced, texts }: Differences): ts.CompilerHost {
  const place = replaced?.place.split(sep).join("/");
  const isReplaced = (path: string): boolean => path === place || path.startsWith(`${place}/`);
  const findText = (path: string): string | undefined => replaced?.texts.get(path.slice(place?.length).slice(1));
  const read = (path: string): string | undefined =>
    isReplaced(path) ? findText(path) : (texts.get(path) ?? ts.sys.readFile(path));
  const isOnDisk = (path: string): boolean => !isReplaced(path) && !texts.has(path);
  return {
    ...ts.createCompilerHost(options),
    // Doc comments are not needed, and declarations of libraries are mostly comments.
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
    getDefaultLibLocation: () => library,
    getDefaultLibFileName: (given) => join(library, ts.getDefaultLibFileName(given)),
    fileExists: (path) => (isReplaced(path) ? findText(path) !== undefined : ts.sys.fileExists(path)),
    directoryExists: (path) => isReplaced(path) || ts.sys.directoryExists(path),
    readFile: read,
    getSourceFile(path, settings) {
      const known = parsed.get(path);
      if (known && isOnDisk(path)) return known;
      const text = read(path);
      if (text === undefined) return undefined;
      const made = ts.createSourceFile(path, text, settings);
      if (isOnDisk(path)) parsed.set(path, made);
      return made;
    },
  };
}

function errorsOf(program: ts.Program, file: string): CompileError[] {
  const source = program.getSourceFile(file);
  return program.getSemanticDiagnostics(source).map(({ start = 0, messageText }) => {
    const { line = 0 } = source?.getLineAndCharacterOfPosition(start) ?? {};
    return { file, line: line + 1, text: ts.flattenDiagnosticMessageText(messageText, "\n") };
  });
}

/**
 * Finds the declarations of the language itself: from the project's compiler, otherwise from this package's own. `undefined` when neither is
 * installed.
 */
export function findLibrary(project: string): string | undefined {
  const compilers = [project, packageRoot].flatMap((folder) => findCompiler(folder) ?? []);
  return compilers.flatMap(foldersOf).find((folder) => existsSync(join(folder, "lib.es5.d.ts")));
}

function findCompiler(folder: string): string | undefined {
  try {
    return dirname(createRequire(join(folder, "package.json")).resolve("typescript/package.json"));
  } catch {
    // The compiler is not installed there.
    return undefined;
  }
}

/** Returns the folders where the declarations may be: native compilers have them in a package for the platform. */
function foldersOf(compiler: string): string[] {
  const machine = `typescript-${process.platform}-${process.arch}`;
  return [join(compiler, "lib"), join(compiler, "..", "@typescript", machine, "lib")];
}
