import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import type { Framework } from "../mount/frameworks.ts";
import type { Manifest } from "./manifest.ts";

/** Module where an application creates its framework. */
export interface Entry {
  /** Path relative to the application, with forward slashes. */
  readonly path: string;
  /** Name of the variable with the application. */
  readonly variable: string;
  /** True if the module calls `require`. */
  readonly isRequiring: boolean;
}

/** Finds the module where an application creates its framework; `undefined` if none of the usual files does. */
export function findEntry(folder: string, manifest: Manifest, framework: Framework): Entry | undefined {
  const found = candidatesOf(manifest)
    .filter((path) => existsSync(join(folder, path)))
    .map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));
  for (const { path, text } of found) {
    const [, variable] = creations[framework].flatMap((pattern) => pattern.exec(text) ?? []);
    if (variable !== undefined) return { path, variable, isRequiring: isRequiring(path, text, manifest) };
  }
  return undefined;
}

/** Matches the creation of an application; the first group is its variable. */
const creations: { readonly [Name in Framework]: readonly RegExp[] } = {
  express: [/\b(?:const|let|var)\s+(\w+)(?:\s*:[^=\n]+)?\s*=\s*express\(/],
  hono: [/\b(?:const|let|var)\s+(\w+)(?:\s*:[^=\n]+)?\s*=\s*new\s+(?:Hono|OpenAPIHono)\b/],
  fastify: [
    /\b(?:const|let|var)\s+(\w+)(?:\s*:[^=\n]+)?\s*=\s*(?:await\s+)?(?:fastify|Fastify|require\(["']fastify["']\))\(/,
    /\basync\s*(?:function\s*\w*\s*)?\(\s*(fastify|app|instance|server)\b/,
  ],
  node: [/\b(?:const|let|var)\s+(\w+)(?:\s*:[^=\n]+)?\s*=\s*(?:\w+\.)?createServer\(/],
  next: [],
};

/** Returns the usual paths of the modules of an application, beginning with the ones named in its manifest. */
function candidatesOf({ main, scripts }: Manifest): readonly string[] {
  const words = Object.values(scripts).flatMap((script) => script.split(/\s+/));
  const named = [main, ...words].flatMap((word) =>
    word !== undefined && isModulePath(word) ? [posix.normalize(word)] : [],
  );
  const usual = ["src/", ""].flatMap((folder) =>
    ["app", "server", "index", "main"].flatMap((name) => endings.map((ending) => `${folder}${name}.${ending}`)),
  );
  return [...new Set([...named, ...usual])];
}

const endings = ["ts", "mts", "tsx", "js", "mjs", "cjs"];

/** True if a word is the path of a source inside the application. */
function isModulePath(word: string): boolean {
  return /^(?:\.\/)?[\w./-]+\.[cm]?[jt]sx?$/.test(word) && !word.split("/").includes("..") && !/^dist\//.test(word);
}

function isRequiring(path: string, text: string, { isModule }: Manifest): boolean {
  if (/\.(?:cjs|[cm]?tsx?)$/.test(path)) return path.endsWith(".cjs");
  return !path.endsWith(".mjs") && !isModule && !/^\s*import\s/m.test(text);
}
