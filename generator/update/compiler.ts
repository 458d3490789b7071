import { dirname, join, sep } from "node:path";
import { ts } from "../read/syntax.ts";
import { UserError } from "../user-error.ts";

/** Something that the compiler does not accept. */
export interface Complaint {
  /** Absolute path. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** A program, as its `tsconfig.json` describes it. */
export interface ProgramPlace {
  /** Path of its `tsconfig.json`. */
  readonly config: string;
  /** Folder with the declarations of the language itself. */
  readonly library: string;
  /** Absolute paths of the files to complain about. */
  readonly files: readonly string[];
}

/** A folder, or a file, that is another than on disk. */
export interface Replacement {
  /** Absolute path. */
  readonly place: string;
  /** All files of the folder, by path relative to it, with forward slashes. The path of a file is empty. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Compiles a program several times: what does not differ between them, such as the declarations of libraries, is read and parsed once. */
export interface Compiler {
  /** What is not accepted in the files of the program, as it is on disk or with another part. */
  complain(replaced?: Replacement): Complaint[];
}

/** Throws a {@link UserError} when the settings of the program cannot be read. */
export function createCompiler({ config, library, files }: ProgramPlace): Compiler {
  const options = readOptions(config);
  const parsed = new Map<string, ts.SourceFile>();
  return {
    complain(replaced) {
      const host = createHost({ options, library, parsed }, replaced);
      const program = ts.createProgram({ rootNames: files, options, host });
      return files.flatMap((file) => complainOf(program, file));
    },
  };
}

function readOptions(config: string): ts.CompilerOptions {
  const { config: text, error } = ts.readConfigFile(config, ts.sys.readFile);
  const { options, errors } = ts.parseJsonConfigFileContent(text ?? {}, ts.sys, dirname(config), undefined, config);
  // That there are no files to compile is no matter here: they are named.
  const [problem] = [error, ...errors].filter((one) => one !== undefined && one.code !== noFiles);
  if (!problem) return options;
  throw new UserError(`${config} cannot be read: ${ts.flattenDiagnosticMessageText(problem.messageText, " ")}`);
}

const noFiles = 18_003;

interface Shared {
  readonly options: ts.CompilerOptions;
  readonly library: string;
  /** What was parsed, by path. */
  readonly parsed: Map<string, ts.SourceFile>;
}

function createHost({ options, library, parsed }: Shared, replaced: Replacement | undefined): ts.CompilerHost {
  // The compiler names files with forward slashes everywhere.
  const place = replaced?.place.split(sep).join("/");
  const isReplaced = (path: string): boolean => path === place || path.startsWith(`${place}/`);
  const findText = (path: string): string | undefined => replaced?.texts.get(path.slice(place?.length).slice(1));
  const read = (path: string): string | undefined => (isReplaced(path) ? findText(path) : ts.sys.readFile(path));
  return {
    ...ts.createCompilerHost(options),
    // Of comments nothing is asked, and declarations of libraries are mostly comments.
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
    getDefaultLibLocation: () => library,
    getDefaultLibFileName: (given) => join(library, ts.getDefaultLibFileName(given)),
    fileExists: (path) => (isReplaced(path) ? findText(path) !== undefined : ts.sys.fileExists(path)),
    directoryExists: (path) => isReplaced(path) || ts.sys.directoryExists(path),
    readFile: read,
    getSourceFile(path, settings) {
      const known = parsed.get(path);
      if (known && !isReplaced(path)) return known;
      const text = read(path);
      if (text === undefined) return undefined;
      const made = ts.createSourceFile(path, text, settings);
      if (!isReplaced(path)) parsed.set(path, made);
      return made;
    },
  };
}

function complainOf(program: ts.Program, file: string): Complaint[] {
  const source = program.getSourceFile(file);
  return program.getSemanticDiagnostics(source).map(({ start = 0, messageText }) => {
    const { line = 0 } = source?.getLineAndCharacterOfPosition(start) ?? {};
    return { file, line: line + 1, text: ts.flattenDiagnosticMessageText(messageText, "\n") };
  });
}
