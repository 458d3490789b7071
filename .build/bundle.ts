import { chmod, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build, type BuildOptions, type Plugin } from "esbuild";
import { readNotices } from "./notices.ts";
import { emitTemplates } from "./templates.ts";

/*
 * Makes `dist/bundle`, which is what the package ships of `dist/`: few files, because each takes its time at installation and at every start.
 * What a library of the user's speaks to stays outside of the runtime; the generator has everything that it speaks to inside, so that `npx`
 * installs one package.
 */

const root = join(import.meta.dirname, "..", "..");
const target = "dist/bundle";

const shared: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "es2023",
  outbase: "dist",
  outdir: target,
  logLevel: "warning",
};

const { exports, bin } = await readManifest();
const entries = [...new Set(Object.values(exports).flatMap(({ default: file }) => (file ? [toSource(file)] : [])))];
const programs = [...new Set(Object.values(bin))];
const isGenerator = (file: string): boolean => file.startsWith("./dist/generator/");

await rm(join(root, target), { recursive: true, force: true });
await build({
  ...shared,
  entryPoints: [...entries.filter((file) => !isGenerator(file)), "./dist/runtime/gateway/serve-module.js"],
  packages: "external",
  chunkNames: "parts/[hash]",
});
const { metafile } = await build({
  ...shared,
  entryPoints: [...entries.filter(isGenerator), ...programs.map(toSource)],
  chunkNames: "parts/[name]-[hash]",
  metafile: true,
  minifySyntax: true,
  minifyWhitespace: true,
  banner: { js: 'import{createRequire as requireOf}from"node:module";const require=requireOf(import.meta.url);' },
  plugins: [bundleRequired(), compileTemplates(), leaveRuntimeLibraries(), leaveUnused()],
});
await writeFile(join(root, target, "THIRD-PARTY.txt"), await readNotices(root, Object.keys(metafile.inputs)));
await removeOtherDeclarations(entries.map((file) => file.replace(/\.js$/, ".d.ts")));
for (const program of programs) await chmod(join(root, program), 0o755);

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly default?: string }>>;
  readonly bin: Readonly<Record<string, string>>;
}

async function readManifest(): Promise<Manifest> {
  return JSON.parse(await readFile(join(root, "package.json"), "utf8"));
}

/** The compiled module that a file of the bundle is made from. */
function toSource(file: string): string {
  return `./${join(file).replace(`${target}/`, "dist/")}`;
}

/** Libraries that the generator loads with `createRequire`, past their declarations, are bundled as well. */
function bundleRequired(): Plugin {
  return {
    name: "bundle-required",
    setup: ({ onLoad }) =>
      onLoad({ filter: /\/dist\/generator\/tool-schema\/type-text\.js$/ }, async ({ path }) => ({
        contents: (await readFile(path, "utf8")).replace(
          /createRequire\(import\.meta\.url\)\((".*?")\)/,
          "require($1)",
        ),
      })),
  };
}

function compileTemplates(): Plugin {
  return {
    name: "compile-templates",
    setup: ({ onLoad }) =>
      onLoad({ filter: /\/dist\/generator\/emit\/compile-template\.js$/ }, async () => ({
        contents: await emitTemplates(join(root, "templates")),
        resolveDir: root,
      })),
  };
}

/** What the runtime speaks to is the user's, in the programs too. */
function leaveRuntimeLibraries(): Plugin {
  return {
    name: "leave-runtime-libraries",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^[^./]/ }, ({ path, importer }) =>
        importer.includes("/dist/runtime/") ? { path, external: true } : undefined,
      ),
  };
}

/**
 * Parts of libraries that nothing here needs: the formatter's parsers of ten languages, which a library could ask to format, and tables to
 * measure emoji with, which take longer to load than all other code; what is printed in columns has none.
 */
function leaveUnused(): Plugin {
  return {
    name: "leave-unused",
    setup({ onResolve, onLoad, resolve }) {
      onResolve({ filter: /^prettier$/ }, ({ kind, resolveDir }) =>
        resolve("prettier/standalone", { kind, resolveDir }),
      );
      onResolve({ filter: /^string-width$/ }, ({ path }) => ({ path, namespace: "plain" }));
      onLoad({ filter: /./, namespace: "plain" }, () => ({ contents: "export default (text) => text.length;" }));
    },
  };
}

/** Declarations that no export refers to are of no use to anybody. */
async function removeOtherDeclarations(entries: readonly string[]): Promise<void> {
  const reached = new Set(entries.map((file) => join(file)));
  for (const file of reached) {
    const text = await readFile(join(root, file), "utf8");
    for (const [, path = ""] of text.matchAll(/(?:from |import\()"(\.[^"]+)\.ts"/g))
      reached.add(`${join(dirname(file), path)}.d.ts`);
  }
  const files = await readdir(join(root, "dist"), { recursive: true });
  const others = files.filter((file) => file.endsWith(".d.ts") && !reached.has(join("dist", file)));
  await Promise.all(others.map((file) => rm(join(root, "dist", file))));
}
