import { existsSync } from "node:fs";
import { chmod, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, posix, sep } from "node:path";
import { build, type BuildOptions } from "esbuild";
import { reachDeclarations } from "./declarations.ts";
import { readNotices } from "./notices.ts";
import { createPlugins } from "./plugins.ts";
import { bundlePage } from "./bundle-page.ts";
import { packagedModels, packModels } from "../generator/read/packaged-models.ts";
import { readRevisionFiles } from "../generator/read/spec-file.ts";
import { openSpecFolder } from "../generator/read/spec-folder.ts";
import { readSpecModels } from "../generator/read/spec-models.ts";
import { writeAllConversions } from "../generator/emit/written-conversions.ts";
import { emitUnformatted } from "../generator/generate.ts";
import { digestSources, packagedSources } from "../generator/internal/packaged.ts";
import { packDeclarations, packagedDeclarations } from "../generator/internal/format-declarations.ts";
import { packagedConversions, packConversions } from "../generator/scaffold/layer/packaged-conversions.ts";
import { emitUsualLayers } from "../generator/scaffold/layer/usual-layers.ts";
import { packRuntime } from "./pack-runtime.ts";
import { buildRuntimePackage } from "./runtime-package.ts";

/*
 * Builds both packages from the compiled sources. The package of this repository ships `dist/bundle` with the programs and the generator, the
 * declarations of the generator and the other package; nothing else of `dist/`. Files are few, because each costs time at installation and at every
 * start. The generator contains its libraries, so that `npx` installs one package.
 *
 * All of it happens in `dist.next/`, which becomes `dist/` at the end: programs of the former build run meanwhile.
 */

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly default?: string }>>;
  readonly bin: Readonly<Record<string, string>>;
}

const root = join(import.meta.dirname, "..", "..");
/** Folder of this build. */
const dist = "dist.next";
const target = `${dist}/bundle`;

const { exports, bin }: Manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
const entries = Object.values(exports).flatMap(({ default: file }) => (file === undefined ? [] : [toSource(file)]));
const programs = [...new Set(Object.values(bin))].map(toBuilt);

/** Function that CommonJS libraries expect. */
const requireBanner = 'import{createRequire as requireOf}from"node:module";const require=requireOf(import.meta.url);';

const shared: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "es2023",
  outbase: dist,
  outdir: target,
  logLevel: "warning",
};

await buildRuntimePackage(root, dist);
await packRuntime(join(root, dist));
await writeFile(join(root, dist, packagedSources), digestSources());
const models = await readSpecModels();
const { path: spec, pins } = await openSpecFolder(join(root, "spec"));
const files = await Promise.all([...pins].map(([id, pin]) => readRevisionFiles(spec, id, pin)));
const digests = files.map(({ digest }) => digest);
await writeFile(join(root, dist, packagedModels), packModels(models, digests));
const older = models.models.slice(0, -1).map(({ id }) => id);
await writeFile(
  join(root, dist, packagedConversions),
  packConversions(models, writeAllConversions(models.models, older)),
);
const modules = [...(await emitUnformatted({})).values(), ...(await emitUsualLayers(models))];
await writeFile(join(root, dist, packagedDeclarations), await packDeclarations(modules));
// Runs in a process of its own, with a module of the user.
await build({
  ...shared,
  entryPoints: [`${dist}/runtime/gateway/serve-module.js`],
  packages: "external",
  minifyWhitespace: true,
});
const { metafile } = await build({
  ...shared,
  splitting: true,
  // Projects name the program by the path in the manifest, so that the path stays when its sources move.
  entryPoints: [
    ...entries.map((file) => ({ in: file, out: posix.relative(dist, file).replace(/\.js$/, "") })),
    ...programs.map((file) => ({
      in: `${dist}/cli/${posix.basename(file)}`,
      out: posix.relative(target, file).replace(/\.js$/, ""),
    })),
  ],
  chunkNames: "parts/[name]-[hash]",
  metafile: true,
  minifySyntax: true,
  minifyWhitespace: true,
  // Globals that libraries expect and that ECMAScript modules do not have.
  define: { __filename: "import.meta.filename", __dirname: "import.meta.dirname" },
  banner: { js: requireBanner },
  plugins: createPlugins(root, dist),
});
for (const file of Object.keys(metafile.outputs)) await removeUnusedBanner(join(root, file));
const pageInputs = await bundlePage(root, dist);
const inputs = [...Object.keys(metafile.inputs), ...pageInputs];
await writeFile(join(root, target, "THIRD-PARTY.txt"), await readNotices(root, inputs));
// Contents of the programs, for the tests.
await writeFile(join(import.meta.dirname, "programs.json"), JSON.stringify(metafile).replaceAll(`"${dist}/`, '"dist/'));
await keepDeclarations(
  reachDeclarations(
    root,
    entries.map((file) => posix.normalize(file).replace(/\.js$/, ".d.ts")),
  ),
);
for (const program of programs) await chmod(join(root, program), 0o755);
await replaceDist();

/** Returns the compiled module that a file of the bundle is made from. */
function toSource(file: string): string {
  return toBuilt(file).replace(`${target}/`, `${dist}/`);
}

/** Returns the path of a file of this package while it is built. */
function toBuilt(file: string): string {
  return posix.normalize(file).replace("dist/", `${dist}/`);
}

/** Puts this build in the place of the former one. */
async function replaceDist(): Promise<void> {
  const former = join(root, "dist.former");
  await rm(former, { recursive: true, force: true });
  if (existsSync(join(root, "dist"))) await rename(join(root, "dist"), former);
  await rename(join(root, dist), join(root, "dist"));
  await rm(former, { recursive: true, force: true });
}

/** Removes the function that loads CommonJS modules from a file that does not use it. A start loads about forty files. */
async function removeUnusedBanner(file: string): Promise<void> {
  const text = await readFile(file, "utf8");
  const rest = text.replace(`${requireBanner}\n`, "");
  if (rest !== text && !/\brequire\b/.test(rest)) await writeFile(file, rest);
}

/** Removes the declarations of the generator that no export refers to. */
async function keepDeclarations(reached: ReadonlyMap<string, string>): Promise<void> {
  const folder = `${dist}/generator`;
  const names = await readdir(join(root, folder), { recursive: true });
  const files = names.map((name) => `${folder}/${name.replaceAll(sep, "/")}`).filter((file) => file.endsWith(".d.ts"));
  await Promise.all(files.filter((file) => !reached.has(file)).map((file) => rm(join(root, file))));
  await Promise.all([...reached].map(([file, text]) => writeFile(join(root, file), text)));
}
