import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isObject } from "../../generated/support.ts";
import type { BuildResult, OutputFile } from "./bundler.ts";

/** Files of a build: the bundle of the server has another name each time, because a process loads each URL once. */
export class DevBundle {
  readonly #entry: string;
  readonly #folder: string;
  /** Other entry points: programs of their own, which import nothing of the development server. */
  readonly #others: ReadonlySet<string>;
  /** Path of the bundle in production. */
  #path: string | undefined;
  #text: string | undefined;
  #count = 0;

  /**
   * @param entryPoints - option of esbuild; the first one is the server
   * @param folder - base folder of the paths of esbuild. Default: the working folder
   */
  constructor(entryPoints: unknown, folder: string = process.cwd()) {
    const given: readonly unknown[] = Array.isArray(entryPoints) ? entryPoints : Object.values(Object(entryPoints));
    const [entry, ...others] = given
      .map((one) => (isObject(one) ? one.in : one))
      .filter((one) => typeof one === "string");
    if (entry === undefined) throw new Error("The build has no entry point; set entryPoints in build.js");
    this.#folder = folder;
    this.#entry = resolve(folder, entry);
    this.#others = new Set(others.map((path) => resolve(folder, path)));
  }

  /**
   * Writes the files of a build. Returns the URL of the server, or `undefined` if it is the same as before.
   *
   * @throws {Error} when the build has no file of the server
   */
  async write({ outputFiles = [], metafile }: BuildResult): Promise<string | undefined> {
    const outputs = Object.entries(metafile?.outputs ?? {}).map(([path, { entryPoint = "" }]) => ({
      path: resolve(this.#folder, path),
      names: toNames(resolve(this.#folder, entryPoint)),
    }));
    const path = outputs.find(({ names }) => names.includes(this.#entry))?.path;
    const isOther = ({ names }: { readonly names: readonly string[] }): boolean =>
      names.some((name) => this.#others.has(name));
    const others = new Set(outputs.filter(isOther).map((one) => one.path));
    const server = outputFiles.find((file) => file.path === path);
    if (!server) throw new Error(`The build has no file for ${this.#entry}; name the file of the server first`);
    if (server.text === this.#text) return undefined;
    this.#path = server.path;
    await Promise.all(outputFiles.filter((file) => file !== server && !others.has(file.path)).map(writeOutput));
    // A process that was killed has left its bundles behind.
    if (this.#count === 0) await removeBundles(server.path, (pid) => !isRunning(pid));
    this.#count += 1;
    const target = join(dirname(server.path), `${toPrefix(server.path)}${process.pid}-${this.#count}.js`);
    await writeOutput({ ...server, path: target });
    this.#text = server.text;
    return pathToFileURL(target).href;
  }

  /** Makes the next build a new version, also if it is the same as the last one. */
  forget(): void {
    this.#text = undefined;
  }

  /** Removes bundles not loaded by any process. */
  async close(): Promise<void> {
    if (this.#path !== undefined) await removeBundles(this.#path, (pid) => pid === process.pid);
  }
}

/** Removes the bundle of a server after its load. */
export async function removeBundle(url: string): Promise<void> {
  await rm(fileURLToPath(url), { force: true });
}

/** Returns the path of an entry point as options may have it: with its ending, or without. */
function toNames(path: string): readonly string[] {
  return [path, path.slice(0, path.length - extname(path).length)];
}

async function writeOutput({ path, contents }: Pick<OutputFile, "path" | "contents">): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, contents);
}

/** Removes the bundles of a server which were written by certain processes. */
async function removeBundles(server: string, isWriter: (pid: number) => boolean): Promise<void> {
  const folder = dirname(server);
  const names = await readdir(folder).catch(() => []);
  const left = names.filter((name) => {
    const [, pid] = /\.dev-(\d+)-\d+\.js$/.exec(name) ?? [];
    return pid !== undefined && name.startsWith(toPrefix(server)) && isWriter(Number(pid));
  });
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
}

function toPrefix(server: string): string {
  return `${basename(server, ".js")}.dev-`;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
