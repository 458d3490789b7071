import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { transform, type Plugin } from "esbuild";
import { emitTemplates } from "./templates.ts";

/** Creates the esbuild plugins that bundle the generator with its libraries, without their unused parts. */
export function createPlugins(root: string, dist: string): Plugin[] {
  return [
    compileTemplates(join(root, "templates")),
    bundleRequired,
    leaveRuntimeLibraries(["runtime", "cluster"].map((folder) => join(root, dist, folder))),
    leaveUnused,
    shrinkCompiler,
  ];
}

function compileTemplates(folder: string): Plugin {
  return {
    name: "compile-templates",
    setup: ({ onLoad }) =>
      onLoad({ filter: /[\\/]internal[\\/]compile-template\.js$/ }, async () => {
        // Templates are code that no stack trace needs to name; every command that renders one parses all of them.
        const { code } = await transform(await emitTemplates(folder), { minify: true, format: "esm" });
        return { contents: code, resolveDir: folder };
      }),
  };
}

/** Bundles libraries that are loaded with `createRequire`, past their declarations, as well. */
const bundleRequired: Plugin = {
  name: "bundle-required",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]tool-schema[\\/]type-text\.js$/ }, async ({ path }) => ({
      contents: replaceOnce(await readFile(path, "utf8"), requiring, "require($1)"),
    })),
};

const requiring = /createRequire\(import\.meta\.url\)\((".*?")\)/;

/** Keeps libraries that the runtime imports as imports of the package, except for those with which the commands connect to servers and engines. */
function leaveRuntimeLibraries(folders: readonly string[]): Plugin {
  return {
    name: "leave-runtime-libraries",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^[^./]/ }, ({ path, importer }) =>
        folders.some((folder) => importer.startsWith(folder)) && !ofCommands.has(path)
          ? { path, external: true }
          : undefined,
      ),
  };
}

const ofCommands: ReadonlySet<string> = new Set(["ws", "@redis/client"]);

/**
 * Leaves out unused parts of libraries: the formatter's parsers for ten languages, which a library could request, and tables to measure the width of
 * emoji, which take longer to load than all other code. Text that is printed in columns has no emoji.
 */
const leaveUnused: Plugin = {
  name: "leave-unused",
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^prettier$/ }, ({ kind, resolveDir }) => resolve("prettier/standalone", { kind, resolveDir }));
    onResolve({ filter: /^string-width$/ }, ({ path }) => ({ path, namespace: "plain" }));
    onLoad({ filter: /./, namespace: "plain" }, () => ({ contents: "export default (text) => text.length;" }));
  },
};

/**
 * Minifies the compiler, which is more than half of the package. Its names get short; those of this package's own code stay, because stack traces
 * show them. The declaration files of the language's library stay outside: the generator refers to none of them.
 */
const shrinkCompiler: Plugin = {
  name: "shrink-compiler",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/](?:@ts-morph[\\/]common|ts-morph)[\\/]dist[\\/].*\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const used = path.endsWith("ts-morph-common.js") ? replaceOnce(text, libraryFiles, "const libFiles = [];") : text;
      const { code } = await transform(used, { minify: true, format: "cjs", platform: "node", target: "es2023" });
      return { contents: code };
    }),
};

const libraryFiles = /^const libFiles = \[\{\n[^]*?\n {4}\}\];$/m;

/** Replaces a pattern in a text. Fails if the text does not contain the pattern, as in another version of a library. */
function replaceOnce(text: string, pattern: RegExp, replacement: string): string {
  if (!pattern.test(text))
    throw new Error(`${pattern} was not found: see what became of it, and change .build/plugins.ts.`);
  return text.replace(pattern, replacement);
}
