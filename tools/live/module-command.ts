import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { UserError } from "../../generator/internal/user-error.ts";

/** A program and its arguments. */
export interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/** True if a word has the file extension of a module. */
export function isModuleName(word: string): boolean {
  return moduleExtensions.includes(extname(word));
}

/**
 * Returns the command to serve a module. The module either serves itself or exports a server. It runs in its own process: its output and its exit
 * affect nothing else.
 *
 * @throws {UserError} when there is no such file, or no program here can run it.
 */
export function toModuleCommand(file: string, args: readonly string[]): Command {
  const path = resolve(file);
  // A program of this name would be searched for in the search path instead.
  if (!existsSync(path)) throw new UserError(`${path} does not exist; check the path.`);
  const flags = /ts$/.test(path) ? findTypeScript(path) : [];
  return { command: process.execPath, args: [...flags, moduleServer(), path, ...args] };
}

const moduleExtensions: readonly string[] = [".js", ".mjs", ".ts", ".mts"];

/**
 * Returns the flags to run TypeScript. Newer versions of Node read TypeScript themselves; otherwise the loader `tsx` of the project or of this
 * package does.
 */
function findTypeScript(path: string): readonly string[] {
  if ("typescript" in process.features && process.features.typescript) return [];
  for (const place of [path, join(packageRoot, "package.json")]) {
    try {
      return ["--import", pathToFileURL(createRequire(place).resolve("tsx")).href];
    } catch {
      // Not installed in this place.
    }
  }
  throw new UserError(
    `Node ${process.versions.node} cannot run ${path}; build it and pass the JavaScript file, or install tsx in its project.`,
  );
}

/** Returns the program for the export of a module: a TypeScript file if this package runs from source. */
function moduleServer(): string {
  const program = join("runtime", "gateway", "serve-module");
  return import.meta.filename.endsWith(".ts")
    ? join(packageRoot, `${program}.ts`)
    : join(packageRoot, "dist", "bundle", `${program}.js`);
}
