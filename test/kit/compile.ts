import { spawn } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Both compilers that generated code must suit. */
export const compilers = ["typescript", "typescript7"] as const;

/** The strictest settings that a user may have, as a tsconfig.json writes them. */
export const strictest = {
  target: "ES2023",
  lib: ["ES2023", "DOM"],
  module: "NodeNext",
  moduleResolution: "NodeNext",
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  isolatedModules: true,
  allowImportingTsExtensions: true,
  skipLibCheck: false,
  noEmit: true,
};

/** Settings of a project with `strict` alone. Types of indexed members then lack `undefined`, and the compiler rejects comparisons that it takes for pointless. */
export const onlyStrict = { exactOptionalPropertyTypes: false, noUncheckedIndexedAccess: false };

/** The package.json of a folder of modules. */
export const modulePackage = JSON.stringify({ type: "module" });

/** Files to compile, with settings. */
export interface Compilation {
  /** Folder for the settings: inside the project, so that the module settings of its package.json hold. */
  readonly folder: string;
  readonly files: readonly string[];
  readonly settings?: object;
}

/** Lines that a compiler prints about the files. */
export async function compile(
  compiler: string,
  { folder, files, settings = {} }: Compilation,
): Promise<readonly string[]> {
  const config = join(await mkdtemp(join(folder, "compile-")), "tsconfig.json");
  await writeFile(config, JSON.stringify({ compilerOptions: { ...strictest, ...settings }, include: files }));
  const child = spawn(process.execPath, [`node_modules/${compiler}/bin/tsc`, "-p", config, "--pretty", "false"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const code = await new Promise<number | null>((done, fail) => child.on("error", fail).on("close", done));
  const lines = output.split("\n").filter((line) => line !== "");
  return code === 0 || lines.length > 0 ? lines : [`${compiler} ended with code ${code}`];
}

/** Compiles emitted files natively under the strictest settings of a library. Returns the lines of the compiler. */
export function compileEmitted(
  folder: string,
  files: readonly string[],
  settings: object = {},
): Promise<readonly string[]> {
  const library = { noPropertyAccessFromIndexSignature: true, isolatedDeclarations: true, declaration: true };
  return compile("typescript7", { folder, files, settings: { ...library, skipLibCheck: true, ...settings } });
}
