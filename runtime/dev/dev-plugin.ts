import { readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import type { BuildResult, BundlerPlugin } from "./bundler.ts";
import { isModulePackage } from "./module-package.ts";

const runtime = "mcp-server-runtime";
const namespace = "mcp-dev";

/**
 * Modules of the runtime whose functions the development server replaces. Their bundles name their load by their own URL. All other names are those of
 * the runtime.
 */
const replaced: ReadonlyMap<string, (urls: ReplacedUrls) => string> = new Map([
  [
    runtime,
    ({ original, functions }) => `
      import { createFunctions } from ${functions};
      export * from ${original};
      export const { createServer, runHttp, runServer, runStdio, serveHttp, serveStdio } = createFunctions(import.meta.url);
    `,
  ],
  [
    `${runtime}/features`,
    ({ original, functions, revisions }) => `
      import { createFunctions } from ${functions};
      import { revisions } from ${revisions};
      export * from ${original};
      export const { buildServer } = createFunctions(import.meta.url, revisions);
    `,
  ],
]);

/** URLs of modules of the runtime, as string literals. */
interface ReplacedUrls {
  readonly original: string;
  readonly functions: string;
  readonly revisions: string;
}

/**
 * Plugin of esbuild that prepares bundles for a running process. The runtime and packages that are ECMAScript modules stay outside: they are loaded
 * once, and keep their state. Packages in CommonJS are bundled, as in production.
 */
export function createDevPlugin(onEnd: (result: BuildResult) => Promise<void>): BundlerPlugin {
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter: /^mcp-server-runtime(\/|$)/ }, ({ path }) =>
        replaced.has(path) ? { path, namespace } : { path: import.meta.resolve(path), external: true },
      );
      build.onResolve({ filter: /^file:/, namespace }, ({ path }) => ({ path, external: true }));
      build.onLoad({ filter: /^/, namespace }, ({ path }) => ({ contents: writeModule(path), loader: "js" }));
      build.onResolve({ filter: /^[^./]/ }, async ({ path, kind, pluginData, ...place }) => {
        const isImport = kind === "import-statement" || kind === "dynamic-import";
        if (!isImport || pluginData === resolving || isBuiltin(path) || isAbsolute(path)) return undefined;
        const found = await build.resolve(path, { ...place, kind, pluginData: resolving });
        const isOutside = found.errors.length === 0 && !found.external && found.namespace === "file";
        if (!isOutside || !(await isModulePackage(found.path))) return undefined;
        return { path: pathToFileURL(found.path).href, external: true };
      });
      // The process has redirected its output before it loads anything.
      build.onLoad({ filter: /[\\/]stdout\.ts$/ }, async ({ path }) =>
        (await readFile(path, "utf8")).includes('Symbol.for("mcp.stdout.write")')
          ? { contents: "", loader: "ts" }
          : undefined,
      );
      build.onEnd(onEnd);
    },
  };
}

/** Marks the resolution by esbuild itself, so that the plugin does not handle it again. */
const resolving = { isResolving: true } as const;

function writeModule(path: string): string {
  const toLiteral = (name: string): string => JSON.stringify(import.meta.resolve(name));
  const functions = toLiteral(`${runtime}/dev/server`);
  const revisions = toLiteral(`${runtime}/revisions`);
  return replaced.get(path)?.({ original: toLiteral(path), functions, revisions }) ?? "";
}
