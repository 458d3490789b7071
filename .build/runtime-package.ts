import { copyFile, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { build, type BuildOptions } from "esbuild";
import { reachDeclarations } from "./declarations.ts";
import { commonExports, effectful, readRuntimeExports, runtimePeers } from "./runtime-exports.ts";
import { entryPath, joinParts } from "./runtime-parts.ts";

/**
 * Lines of the bundler: the name of each source, and imports of parts without a name. No part has side effects, so that these imports do nothing, but
 * bundlers print a warning for each where the package is linked.
 */
const bundlerLines = /^(?:\/\/ (?:dist[^/]*\/|entry:).*|import "\.[^"]*";)\n/gm;

/** Folder of the package `mcp-server-runtime` in the folder of the build. `npm pack` and `npm publish` take it as it is. */
export const runtimeFolder = "runtime-package";

const packageName = "mcp-server-runtime";

/**
 * Assembles the package `mcp-server-runtime` from the compiled sources: one bundle with shared parts, so that every entry has the same classes and few
 * files are loaded; the declarations that its entries reach; manifest, README and licence.
 *
 * @param dist Folder of the build in the root.
 */
export async function buildRuntimePackage(root: string, dist: string): Promise<void> {
  const target = join(root, dist, runtimeFolder);
  const exports = readRuntimeExports(root);
  const entries = Object.values(exports).map(withoutExtension);
  await rm(target, { recursive: true, force: true });
  const toModule = (entry: string): string => `${dist}/${entry}.js`;
  const options = {
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "es2023",
    packages: "external",
    splitting: true,
    outdir: `${dist}/${runtimeFolder}`,
    logLevel: "warning",
    write: false,
  } satisfies BuildOptions;
  const { metafile } = await build({ ...options, entryPoints: entries.map(toModule), metafile: true });
  const common = commonExports.map((subpath) => toModule(withoutExtension(exports[subpath] ?? "")));
  const { outputFiles } = await build({
    ...options,
    entryPoints: Object.fromEntries(entries.map((entry) => [entry, entryPath(toModule(entry))])),
    chunkNames: "parts/[hash]",
    plugins: [joinParts({ root, dist, graph: metafile.inputs, common })],
  });
  for (const { path, text } of outputFiles) await write(path, text.replaceAll(bundlerLines, ""));
  const declarations = reachDeclarations(
    join(root, dist),
    entries.map((entry) => `${entry}.d.ts`),
  );
  for (const [file, text] of declarations) await write(join(target, file), text);
  await writeFile(join(target, "package.json"), `${JSON.stringify(await createManifest(root, exports), null, 2)}\n`);
  await copyFile(join(root, ".build", "runtime-readme.md"), join(target, "README.md"));
  await copyFile(join(root, "LICENSE"), join(target, "LICENSE"));
  await linkPackage(join(root, dist));
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** Creates the manifest from that of the repository and the table of subpaths. */
async function createManifest(root: string, exports: Readonly<Record<string, string>>): Promise<object> {
  const manifest: Manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const { version, author, license, homepage, bugs, repository, engines, keywords } = manifest;
  return {
    name: packageName,
    version,
    description:
      "Runtime of Model Context Protocol servers and clients in TypeScript: exact on every protocol revision, no dependencies.",
    keywords: keywords.filter((word) => !generatorWords.includes(word)),
    homepage,
    bugs,
    repository,
    license,
    author,
    type: "module",
    sideEffects: effectful.map((source) => `./${withoutExtension(source)}.js`),
    engines,
    exports: {
      ...Object.fromEntries(Object.entries(exports).map(([subpath, source]) => [subpath, toTarget(source)])),
      "./package.json": "./package.json",
    },
    peerDependencies: runtimePeers,
    peerDependenciesMeta: Object.fromEntries(Object.keys(runtimePeers).map((name) => [name, { optional: true }])),
  };
}

interface Manifest {
  readonly version: string;
  readonly author?: unknown;
  readonly license: string;
  readonly homepage?: string;
  readonly bugs?: unknown;
  readonly repository?: unknown;
  readonly engines: object;
  readonly keywords: readonly string[];
}

const generatorWords: readonly string[] = ["generator", "scaffold"];

function toTarget(source: string): object {
  const path = `./${withoutExtension(source)}`;
  return { types: `${path}.d.ts`, default: `${path}.js` };
}

function withoutExtension(source: string): string {
  return source.replace(/\.ts$/, "");
}

/** Makes the compiled examples find the package by its name. */
async function linkPackage(dist: string): Promise<void> {
  const folder = join(dist, "node_modules");
  await mkdir(folder, { recursive: true });
  await rm(join(folder, packageName), { force: true });
  // Relative, because the build is moved to its place at the end. Windows links folders by their whole paths only.
  const path = process.platform === "win32" ? join(dist, "..", "dist", runtimeFolder) : join("..", runtimeFolder);
  await symlink(path, join(folder, packageName), "junction");
}
