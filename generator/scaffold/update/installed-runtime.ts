import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { packageVersion, readInstalledVersion } from "../../internal/package-info.ts";
import { compareTree, type Drift } from "../../internal/tree.ts";
import { clonePath, generatorPackage, launcherFolder, readLauncher } from "../create/launcher.ts";
import { readCommands } from "../create/package-manager.ts";
import { readPackedRuntime, readVendorFiles, runtimePackage, vendorFolder } from "../create/runtime-package.ts";
import { replaceFolder } from "../layer/replace-layer.ts";
import { isOlderRange, isOlderVersion } from "./version-range.ts";

/** Runtime of a project, as an update sees it. */
export interface InstalledRuntime {
  /** Differences between the files inside the project and the files of this version, by path relative to the project. */
  readonly drifts: readonly Drift[];
  /** Replaces these files. */
  replace(): Promise<void>;
  /** Command to install the runtime of this version; `undefined` when the project has it, or needs no installation. */
  readonly install: string | undefined;
}

/** Reads how a project depends on the runtime: its published files, a packed file, or a version on a registry. */
export async function readInstalledRuntime(project: string): Promise<InstalledRuntime> {
  const folder = join(project, vendorFolder);
  if (existsSync(folder)) return inProject(project, folder);
  const text = await readFile(join(project, "package.json"), "utf8").catch(() => "");
  const [, version = ""] = new RegExp(`"${runtimePackage}":\\s*"([^"]*)"`).exec(text) ?? [];
  const packed = /^file:(?:\.\/)?(vendor\/mcp-server-runtime-[\w.+-]+\.tgz)$/.exec(version)?.[1];
  return packed === undefined ? onRegistry(project, version) : inArchive(project, { path: packed, manifest: text });
}

/**
 * Writes the launcher of a project from a clone again, where git ignores it. Returns the paths of what was missing. Older launchers name the clone in
 * their manifest.
 */
export async function restoreLauncher(project: string): Promise<readonly string[]> {
  const manifest = await readFile(join(project, "package.json"), "utf8").catch(() => "");
  const launcher = readLauncher();
  if (!launcher || !manifest.includes(`"${generatorPackage}": "${launcher.version}"`)) return [];
  const own = await readFile(join(project, launcherFolder, "package.json"), "utf8").catch(() => "");
  const isKnown = /"clone":/.test(own);
  const missing = [...launcher.files].filter(
    ([path]) => !existsSync(join(project, path)) && !(path === clonePath && isKnown),
  );
  for (const [path, text] of missing) {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await writeFile(join(project, path), text);
  }
  return missing.map(([path]) => path);
}

/** A project may contain the published files. They are replaced together: on failure, the old files stay. */
async function inProject(project: string, folder: string): Promise<InstalledRuntime> {
  const tree = readVendorFiles();
  const drifts = await compareTree(folder, tree);
  return {
    drifts: drifts.map((drift) => ({ ...drift, path: `${vendorFolder}/${drift.path}` })),
    install: undefined,
    replace: () => replaceFolder(project, { folder, tree }),
  };
}

/** A range is written when a project is created. A later version of the generator may need a later version of the runtime. */
async function onRegistry(project: string, range: string): Promise<InstalledRuntime> {
  const version = packageVersion();
  const installed = /^[\^~<>=v\s]*\d/.test(range) ? readInstalledVersion(project, runtimePackage) : undefined;
  const isOlder = isOlderRange(range, version) || (installed !== undefined && isOlderVersion(installed, version));
  const { add } = await readCommands(project);
  return {
    drifts: [],
    install: isOlder ? add(`${runtimePackage}@^${version}`) : undefined,
    replace: () => Promise.resolve(),
  };
}

interface Archive {
  /** Path relative to the project. */
  readonly path: string;
  /** Text of `package.json`, which names the path. */
  readonly manifest: string;
}

/** A clone of the repository gives its projects a packed runtime. Package managers install it again only if they are told to. */
async function inArchive(project: string, { path, manifest }: Archive): Promise<InstalledRuntime> {
  const own = readPackedRuntime();
  const found = await readFile(join(project, path)).catch(() => undefined);
  if (!own || (own.path === path && found?.equals(own.content)))
    return { drifts: [], install: undefined, replace: () => Promise.resolve() };
  const { add } = await readCommands(project);
  const isHere = own.path === path && found !== undefined;
  return {
    drifts: [isHere ? { kind: "changed", path } : { kind: "missing", path: own.path }],
    install: add(`./${own.path}`),
    async replace() {
      await mkdir(dirname(join(project, own.path)), { recursive: true });
      await writeFile(join(project, own.path), own.content);
      if (own.path === path) return;
      await writeFile(join(project, "package.json"), manifest.replaceAll(path, own.path));
      await rm(join(project, path), { force: true });
    },
  };
}
