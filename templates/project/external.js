import { existsSync } from "node:fs";
import { cp, readFile, realpath, rm } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";

/** @typedef {{ name?: string, dependencies?: Record<string, string>, optionalDependencies?: Record<string, string> }} Manifest */
/** @typedef {{ source: string, target: string, names: readonly string[], above?: Place, inside: Map<string, string> }} Place */

/**
 * Copies the packages outside of the bundle to dist/node_modules, with their dependencies. Images and bundles then need
 * only dist. These are the imported packages under "dependencies" in package.json; the platform has the others.
 *
 * @param {import("esbuild").Metafile} metafile
 */
export async function copyExternal({ outputs }) {
  await rm("dist/node_modules", { recursive: true, force: true });
  const imports = Object.values(outputs).flatMap((output) => output.imports.filter(({ external }) => external));
  const imported = new Set(imports.map(({ path }) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]));
  const names = namesOf(await readManifest(".")).filter((name) => imported.has(name));
  /** @type {Place[]} */
  const places = [{ source: ".", target: "dist", names, inside: new Map() }];
  // The loop also visits the places it adds. Each level is complete before the next begins.
  for (const place of places) for (const name of place.names) places.push(...(await copyPackage(name, place)));
}

/**
 * Copies a package into the node_modules of the place where it is needed, unless a place above has the same.
 *
 * @param {string} name
 * @param {Place} place
 * @returns {Promise<Place[]>} where the package is now; empty if there is nothing to copy
 */
async function copyPackage(name, place) {
  const source = await findPackage(name, place.source);
  // Optional dependencies are not installed on every platform.
  if (source === undefined || source === findCopied(name, place)) return [];
  place.inside.set(name, source);
  const target = join(place.target, "node_modules", name);
  const filter = (/** @type {string} */ path) => relative(source, path).split(sep)[0] !== "node_modules";
  await cp(source, target, { recursive: true, filter });
  return [{ source, target, names: namesOf(await readManifest(source)), above: place, inside: new Map() }];
}

/** @param {string} name @param {Place | undefined} place @returns {string | undefined} */
function findCopied(name, place) {
  return place && (place.inside.get(name) ?? findCopied(name, place.above));
}

/** @param {string} name @param {string} from @returns {Promise<string | undefined>} */
async function findPackage(name, from) {
  for (let folder = await realpath(from), last = ""; folder !== last; last = folder, folder = dirname(folder)) {
    const found = join(folder, "node_modules", name);
    if (existsSync(join(found, "package.json"))) return realpath(found);
  }
  return undefined;
}

/** @param {Manifest} manifest */
function namesOf({ dependencies, optionalDependencies }) {
  return Object.keys({ ...dependencies, ...optionalDependencies });
}

/** @param {string} folder @returns {Promise<Manifest>} */
async function readManifest(folder) {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
}
