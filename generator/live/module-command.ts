import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { packageRoot } from "../package-info.ts";
import { UserError } from "../user-error.ts";

/** A program and its arguments. */
export interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/** Whether a word looks like a file with a module in it. */
export function isModuleName(word: string): boolean {
  return moduleExtensions.includes(extname(word));
}

/**
 * The command that serves a module, whether it serves itself or exports a server: in a process of its own, since what it writes, and how it
 * ends, is its own. Throws a {@link UserError} if there is no such file, or nothing here can run it.
 */
export function toModuleCommand(file: string, args: readonly string[]): Command {
  const path = resolve(file);
  // A program of this name would be looked for in the search path instead.
  if (!existsSync(path)) throw new UserError(`there is no file ${path}. Check the path.`);
  const flags = /ts$/.test(path) ? findTypeScript(path) : [];
  return { command: process.execPath, args: [...flags, moduleServer(), path, ...args] };
}

const moduleExtensions: readonly string[] = [".js", ".mjs", ".ts", ".mts"];

/** Newer versions of Node read TypeScript themselves; otherwise the project's own loader does, or ours. */
function findTypeScript(path: string): readonly string[] {
  if ("typescript" in process.features && process.features.typescript) return [];
  for (const place of [path, join(packageRoot, "package.json")]) {
    try {
      return ["--import", pathToFileURL(createRequire(place).resolve("tsx")).href];
    } catch {
      // Not installed there.
    }
  }
  throw new UserError(
    `Node ${process.versions.node} cannot run ${path}. Build it and name the JavaScript file, or install tsx in its project.`,
  );
}

/** The program that serves what a module exports. From source it is TypeScript as this is. */
function moduleServer(): string {
  const program = join("runtime", "gateway", "serve-module");
  return import.meta.filename.endsWith(".ts")
    ? join(packageRoot, `${program}.ts`)
    : join(packageRoot, "dist", "bundle", `${program}.js`);
}
