import { dirname, join } from "node:path";
import { readInstalledVersion } from "../../internal/package-info.ts";
import { UserError } from "../../internal/user-error.ts";
import { ts } from "../../read/syntax.ts";
import type { ImportEnding } from "../layer/choices.ts";
import type { Manifest } from "./manifest.ts";

/**
 * Returns the ending with which the modules of an application import each other, according to its `tsconfig.json`.
 *
 * @throws {UserError} when its settings do not find ES modules in packages, or do not compile the protocol layer
 */
export function readImportEnding(folder: string, manifest: Manifest): ImportEnding {
  const options = readOptions(folder);
  rejectUnsupported(options, { folder, manifest });
  if (options.allowImportingTsExtensions === true || options.rewriteRelativeImportExtensions === true) return "ts";
  // Bundlers of Next.js do not replace the ending of an import.
  return manifest.packages.next === undefined ? "js" : "none";
}

function readOptions(folder: string): ts.CompilerOptions {
  const { options, problem } = readCompilerOptions(join(folder, "tsconfig.json"));
  if (problem === undefined) return options;
  throw new UserError(`tsconfig.json cannot be read: ${problem} Correct it, or install the packages that it extends.`);
}

/** Reads the options of a `tsconfig.json`, and what is wrong with it. It may be without input files, which callers have themselves. */
export function readCompilerOptions(path: string): {
  readonly options: ts.CompilerOptions;
  readonly problem: string | undefined;
} {
  const { config, error } = ts.readConfigFile(path, ts.sys.readFile);
  const { options, errors } = ts.parseJsonConfigFileContent(config ?? {}, ts.sys, dirname(path), undefined, path);
  const [problem] = [error, ...errors].filter((one) => one !== undefined && one.code !== noInputs);
  return { options, problem: problem && ts.flattenDiagnosticMessageText(problem.messageText, " ") };
}

/** Number of the message about settings without input files. */
const noInputs = 18_003;

interface Package {
  readonly folder: string;
  readonly manifest: Manifest;
}

const { ModuleKind, ModuleResolutionKind } = ts;

function rejectUnsupported(options: ts.CompilerOptions, application: Package): void {
  const { module, moduleResolution } = options;
  const isNodeKind = module !== undefined && module >= ModuleKind.Node16 && module <= ModuleKind.NodeNext;
  if (!isNodeKind && !findsExports(moduleResolution, module, application))
    throw new UserError(
      `tsconfig.json does not find the exports of packages; set "module": "nodenext", or "moduleResolution": "bundler".`,
    );
  if (options.noPropertyAccessFromIndexSignature === true)
    throw new UserError(
      "tsconfig.json sets noPropertyAccessFromIndexSignature, with which src/mcp/ does not compile; set it to false.",
    );
  const isRequired = !application.manifest.isModule && isNodeKind && module !== ModuleKind.NodeNext;
  if (isRequired)
    throw new UserError(
      `tsconfig.json compiles to CommonJS, which cannot import ES modules; set "module": "nodenext", or "type": "module" in package.json.`,
    );
}

/** True if the settings read `exports` in the manifests of packages. */
function findsExports(
  resolution: ts.ModuleResolutionKind | undefined,
  module: ts.ModuleKind | undefined,
  application: Package,
): boolean {
  if (resolution !== undefined) return resolution >= ModuleResolutionKind.Node16;
  return module === ModuleKind.Preserve || readCompilerVersion(application) >= 6;
}

/** Returns the major version of the compiler of an application: the installed one, otherwise the one in the range. */
function readCompilerVersion({ folder, manifest }: Package): number {
  return readInstalledMajor(folder, "typescript") ?? readMajor(manifest.packages.typescript) ?? 0;
}

/** Returns the major version of an installed package; `undefined` when it is not installed. */
export function readInstalledMajor(folder: string, name: string): number | undefined {
  return readMajor(readInstalledVersion(folder, name));
}

/** Returns the first number of a version or a range; `undefined` for words such as `latest`. */
export function readMajor(range: string | undefined): number | undefined {
  const [, major] = /^(?:npm:.*@|workspace:)?[\^~>=v\s]*(\d+)/.exec(range ?? "") ?? [];
  return major === undefined ? undefined : Number(major);
}
