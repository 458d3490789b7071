import { posix } from "node:path";
import type { Framework } from "../mount/frameworks.ts";
import type { Application } from "./application.ts";
import type { Entry } from "./entry.ts";

/** Lines for the user to add to the application, and the text before them. */
export interface Paste {
  readonly title: string;
  readonly lines: readonly string[];
}

/**
 * Returns the lines that mount the server. `module` is the handler, relative to the application and with the ending of an import. `undefined` for
 * Next.js, whose routes are files of their own.
 */
export function describePaste(application: Application, entry: Entry | undefined, module: string): Paste | undefined {
  const { framework } = application;
  if (framework === "next") return undefined;
  const variable = entry?.variable ?? usualVariables[framework];
  const from = toSpecifier(entry?.path ?? usualEntry(application), module);
  const isRequiring =
    entry?.isRequiring ?? (application.sources.kind === "javascript" && !application.manifest.isModule);
  const names = framework === "fastify" || framework === "node" ? "mcp" : "mcp, paths";
  const importing = isRequiring ? `const { ${names} } = require("${from}");` : `import { ${names} } from "${from}";`;
  return {
    title: entry ? `Add to ${entry.path}:` : `Add to the module that creates ${creations[framework]}:`,
    lines: [importing, "", ...mountLines[framework](variable)],
  };
}

const usualVariables: { readonly [Name in Exclude<Framework, "next">]: string } = {
  express: "app",
  fastify: "app",
  hono: "app",
  node: "server",
};

const creations: { readonly [Name in Exclude<Framework, "next">]: string } = {
  express: "the application of Express",
  fastify: "the application of Fastify",
  hono: "the application of Hono",
  node: "the HTTP server",
};

const mountLines: { readonly [Name in Exclude<Framework, "next">]: (variable: string) => readonly string[] } = {
  express: (app) => ["// Before body parsers and other middleware:", `${app}.all(paths, mcp);`],
  fastify: (app) => [`${app}.register(mcp);`],
  hono: (app) => [`for (const path of paths) ${app}.all(path, mcp);`],
  node: () => ["// At the beginning of the function that receives requests:", "if (mcp(request, response)) return;"],
};

/** Usual module of an application, if none was found. */
function usualEntry({ sources }: Application): string {
  return sources.kind === "typescript" ? "src/index.ts" : "index.js";
}

/** Returns the path with which one module imports another. */
function toSpecifier(importer: string, imported: string): string {
  const path = posix.relative(posix.dirname(importer), imported);
  return path.startsWith(".") ? path : `./${path}`;
}
