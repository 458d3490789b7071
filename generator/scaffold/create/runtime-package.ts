import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { Tree } from "../../internal/tree.ts";
import { packageRoot, packageVersion } from "../../internal/package-info.ts";
import { UserError } from "../../internal/user-error.ts";
import type { Runtime } from "./project-choices.ts";

/** Name of the package with the runtime. */
export const runtimePackage = "mcp-server-runtime";

/** Folder of a project with the files of the runtime, if they are vendored. */
export const vendorFolder: string = `vendor/${runtimePackage}`;

/** Dependency of a project on the runtime, and the files for it. */
export interface RuntimeDependency {
  /** Version range or path, as `package.json` names it. */
  readonly version: string;
  /** Files of the runtime, by path relative to the project. */
  readonly files: Tree;
  /** Packed runtime, by path relative to the project: a clone of the repository has no published version. */
  readonly archives: ReadonlyMap<string, Uint8Array>;
}

/** Returns the dependency of a project on the runtime. @throws {UserError} when the runtime has not been built. */
export function readRuntime(runtime: Runtime): RuntimeDependency {
  const none = { files: new Map<string, string>(), archives: new Map<string, Uint8Array>() };
  if (runtime === "vendored") {
    const files = [...readVendorFiles()].map(([path, text]): [string, string] => [`${vendorFolder}/${path}`, text]);
    return { ...none, version: `file:${vendorFolder}`, files: new Map(files) };
  }
  const packed = readPackedRuntime();
  if (!packed) return { ...none, version: `^${packageVersion()}` };
  return { ...none, version: `file:${packed.path}`, archives: new Map([[packed.path, packed.content]]) };
}

/** Package file of the runtime, and its path in a project. */
export interface PackedRuntime {
  /** Its path in a project. */
  readonly path: string;
  readonly content: Buffer;
}

/** Returns the packed runtime of a clone of the repository; `undefined` in a published package, whose projects use a registry. */
export function readPackedRuntime(): PackedRuntime | undefined {
  const name = `${runtimePackage}-${packageVersion()}.tgz`;
  const packed = join(packageRoot, "dist", name);
  return existsSync(packed) ? { path: `vendor/${name}`, content: readFileSync(packed) } : undefined;
}

/** Returns the published files of the runtime, by path in {@link vendorFolder}. */
export function readVendorFiles(): Tree {
  const folder = join(packageRoot, "dist", "runtime-package");
  if (!existsSync(folder)) throw new UserError(`${packageRoot} is not built; run \`npm run build\` in it.`);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  return new Map(paths.map((path) => [path.split(sep).join("/"), readFileSync(join(folder, path), "utf8")]));
}
