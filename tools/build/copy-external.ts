import { existsSync } from "node:fs";
import { cp, realpath, rm } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { isObject } from "../../generated/support.ts";
import { readManifest } from "./manifest.ts";

/**
 * Copies the packages outside of the bundle to `dist/node_modules`, with their dependencies, so that images and archives need only `dist`. These are
 * the imported packages under "dependencies" in `package.json`; the platform has the others.
 *
 * @param folder - folder of the project
 * @param bundle - its imports, as esbuild reports them
 */
export async function copyExternal(
  folder: string,
  {
    outputs,
  }: {
    readonly outputs: Readonly<
      Record<string, { readonly imports: readonly { readonly path: string; readonly external?: boolean }[] }>
    >;
  },
): Promise<void> {
  const dist = join(folder, "dist");
  await rm(join(dist, "node_modules"), { recursive: true, force: true });
  const imports = Object.values(outputs).flatMap((output) => output.imports.filter(({ external }) => external));
  const imported = new Set(imports.map(({ path }) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]));
  const names = (await readNeeded(folder)).filter((name) => imported.has(name));
  const places: Place[] = [{ source: folder, target: dist, names, inside: new Map() }];
  // The loop also visits the places it adds. Each level is complete before the next begins.
  for (const place of places) for (const name of place.names) places.push(...(await copyPackage(name, place)));
}

/** A copied package, or the project. */
interface Place {
  readonly source: string;
  readonly target: string;
  /** Packages to copy with it. */
  readonly names: readonly string[];
  /** Place whose packages it finds as well. */
  readonly above?: Place;
  /** Sources of the packages in its own `node_modules`, by name. */
  readonly inside: Map<string, string>;
}

/** Copies a package into the `node_modules` of the place where it is needed, unless a place above has the same. Returns where it is now. */
async function copyPackage(name: string, place: Place): Promise<readonly Place[]> {
  const source = await findPackage(name, place.source);
  // Optional dependencies are not installed on every platform.
  if (source === undefined || source === findCopied(name, place)) return [];
  place.inside.set(name, source);
  const target = join(place.target, "node_modules", name);
  const filter = (path: string): boolean => relative(source, path).split(sep)[0] !== "node_modules";
  await cp(source, target, { recursive: true, filter });
  return [{ source, target, names: await readNeeded(source), above: place, inside: new Map() }];
}

function findCopied(name: string, place: Place | undefined): string | undefined {
  return place && (place.inside.get(name) ?? findCopied(name, place.above));
}

async function findPackage(name: string, from: string): Promise<string | undefined> {
  for (let folder = await realpath(from), last = ""; folder !== last; last = folder, folder = dirname(folder)) {
    const found = join(folder, "node_modules", name);
    if (existsSync(join(found, "package.json"))) return realpath(found);
  }
  return undefined;
}

/** Names of the packages needed by a running package. */
async function readNeeded(folder: string): Promise<readonly string[]> {
  const { dependencies, optionalDependencies } = await readManifest(folder);
  return [dependencies, optionalDependencies].flatMap((list) => (isObject(list) ? Object.keys(list) : []));
}
