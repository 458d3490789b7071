import { chmod, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, posix, sep } from "node:path";
import { build, type BuildOptions } from "esbuild";
import { readNotices } from "./notices.ts";
import { createPlugins } from "./plugins.ts";

/*
 * Builds `dist/bundle`. The package ships it and the declarations, and nothing else of `dist/`: few files, because each file costs time at
 * installation and at every start. Libraries of the runtime are dependencies of the user's project and stay outside. The generator contains its
 * libraries, so that `npx` installs one package.
 */

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly default?: string }>>;
  readonly bin: Readonly<Record<string, string>>;
}

const root = join(import.meta.dirname, "..", "..");
const target = "dist/bundle";

const { exports, bin }: Manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
const entries = Object.values(exports).flatMap(({ default: file }) => (file === undefined ? [] : [toSource(file)]));
const programs = [...new Set(Object.values(bin))];

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

await rm(join(root, target), { recursive: true, force: true });
await build({
  ...shared,
  entryPoints: [...entries.filter((file) => !isGenerator(file)), "dist/runtime/gateway/serve-module.js"],
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
  // Globals that libraries expect and that ECMAScript modules do not have.
  define: { __filename: "import.meta.filename", __dirname: "import.meta.dirname" },
  banner: { js: 'import{createRequire as requireOf}from"node:module";const require=requireOf(import.meta.url);' },
  plugins: createPlugins(root),
});
await writeFile(join(root, target, "THIRD-PARTY.txt"), await readNotices(root, Object.keys(metafile.inputs)));
// Contents of the programs, for the tests.
await writeFile(join(import.meta.dirname, "programs.json"), JSON.stringify(metafile));
await removeDeclarations(await reachDeclarations(entries.map((file) => file.replace(/\.js$/, ".d.ts"))));
for (const program of programs) await chmod(join(root, program), 0o755);

/** Returns the compiled module that a file of the bundle is made from. */
function toSource(file: string): string {
  return posix.normalize(file).replace(`${target}/`, "dist/");
}

function isGenerator(file: string): boolean {
  return file.startsWith("dist/generator/");
}

/** Returns the given declarations and all declarations that they refer to. */
async function reachDeclarations(files: readonly string[]): Promise<ReadonlySet<string>> {
  const reached = new Set(files);
  for (const file of reached) {
    const text = await readFile(join(root, file), "utf8");
    for (const [, path = ""] of text.matchAll(/(?:from |import\()"(\.[^"]+)\.ts"/g))
      reached.add(`${posix.join(posix.dirname(file), path)}.d.ts`);
  }
  return reached;
}

/** Removes the declarations that no export refers to. */
async function removeDeclarations(reached: ReadonlySet<string>): Promise<void> {
  const names = await readdir(join(root, "dist"), { recursive: true });
  const files = names.map((name) => `dist/${name.replaceAll(sep, "/")}`);
  const others = files.filter((file) => file.endsWith(".d.ts") && !reached.has(file));
  await Promise.all(others.map((file) => rm(join(root, file))));
}
