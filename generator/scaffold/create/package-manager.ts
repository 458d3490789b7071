import { existsSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isRecord, parseJson } from "../../internal/json-text.ts";
import { UserError } from "../../internal/user-error.ts";
import { runtimePackage } from "./runtime-package.ts";

/** Package managers for projects. */
export const packageManagers = ["npm", "pnpm", "yarn", "bun"] as const;

/** Name of a package manager. */
export type PackageManager = (typeof packageManagers)[number];

/** Returns the named package manager, or the one running this program, or npm. @throws {UserError} for any other name. */
export function choosePackageManager(
  named: string | undefined,
  userAgent: string = process.env.npm_config_user_agent ?? "",
): PackageManager {
  const word = named ?? userAgent.split("/")[0];
  const found = packageManagers.find((manager) => manager === word);
  if (found !== undefined || named === undefined) return found ?? "npm";
  throw new UserError(
    `--package-manager: unknown value ${JSON.stringify(named)}. Choose one of ${packageManagers.join(", ")}.`,
  );
}

/**
 * Returns the package manager named by `package.json`. Otherwise the one whose files are there: in the project, or in the folders above it up to its
 * repository, as in a workspace. Otherwise the one running this program, or npm.
 */
export async function readManager(project: string): Promise<PackageManager> {
  const start = resolve(project);
  for (let place = start; ; place = dirname(place)) {
    const found = (await readDeclared(place)) ?? (await readTraces(place, { isAbove: place !== start }));
    if (found !== undefined) return found;
    // A repository is the limit: folders above it are others.
    if (existsSync(join(place, ".git")) || dirname(place) === place) return choosePackageManager(undefined);
  }
}

/** Section with packages in a `package.json`. */
export type PackageSection = "dependencies" | "devDependencies";

/** Returns the commands of a project, which add packages of a server. */
export async function readCommands(project: string): Promise<ManagerCommands> {
  return commandsOf(await readManager(project), await readPackageSection(project));
}

/** Returns the section for the packages of a server: the one with the runtime. An application loads them when it runs; a project bundles them. */
export async function readPackageSection(project: string): Promise<PackageSection> {
  const { dependencies } = await readFields(project);
  const isLoaded = isRecord(dependencies) && Object.hasOwn(dependencies, runtimePackage);
  return isLoaded ? "dependencies" : "devDependencies";
}

/** Returns the commands to bundle a changed server and test it, as far as the project has these scripts. */
export async function readTestSteps(project: string): Promise<readonly string[]> {
  const { scripts } = await readFields(project);
  const { run } = commandsOf(await readManager(project));
  const present = ["mcp:build", "test"].filter((name) => {
    const script = isRecord(scripts) && Object.hasOwn(scripts, name) ? scripts[name] : undefined;
    // `npm init` writes a script that only fails.
    return script !== undefined && !String(script).includes("no test specified");
  });
  return present.map((name) => run(name));
}

/** Reads the members of a `package.json`; none if it cannot be read: folders above the project may be closed to this user. */
async function readFields(folder: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => "");
  const manifest = parseJson(text.replace(/^\uFEFF/, ""));
  return isRecord(manifest) ? manifest : {};
}

async function readDeclared(folder: string): Promise<PackageManager | undefined> {
  const { packageManager: declared } = await readFields(folder);
  return packageManagers.find((manager) => typeof declared === "string" && declared.startsWith(`${manager}@`));
}

async function readTraces(
  folder: string,
  { isAbove }: { readonly isAbove: boolean },
): Promise<PackageManager | undefined> {
  const present = new Set(await readdir(folder).catch(() => []));
  // Users have settings of their own in their home folder, and a project may be below it.
  if (isAbove) present.delete(yarnSettings);
  return packageManagers.find((manager) => traces[manager].some((name) => present.has(name)));
}

const yarnSettings = ".yarnrc.yml";

const traces: { readonly [Name in PackageManager]: readonly string[] } = {
  npm: ["package-lock.json"],
  pnpm: ["pnpm-lock.yaml", "pnpm-workspace.yaml"],
  yarn: ["yarn.lock", yarnSettings],
  bun: ["bun.lock", "bun.lockb"],
};

/** Shell commands of a package manager. */
export interface ManagerCommands {
  readonly install: string;
  /** Installs exactly the versions of the lock file, or fails; for CI and images. */
  readonly frozen: string;
  /** Installs the manager where only Node is present; empty for npm, which comes with Node. */
  readonly setup: string;
  /** Files for an installation, as shell words. The `*` makes the manager report a missing file, with more detail than the shell. */
  readonly lockFiles: string;
  /** Runs a script of the project with these arguments. */
  run(script: string, ...args: readonly string[]): string;
  /** Runs the newest version of a package. */
  latest(name: string): string;
  /** Runs a program of an installed package. */
  installed(name: string): string;
  /** Installs the newest version of a development dependency within the range in `package.json`. */
  update(name: string): string;
  /** Installs packages, and adds them to the section. */
  add(...names: readonly string[]): string;
  /** Removes packages. */
  remove(...names: readonly string[]): string;
}

/** Returns the commands of a package manager. By default they add packages to the development dependencies. */
export function commandsOf(manager: PackageManager, section: PackageSection = "devDependencies"): ManagerCommands {
  const { short, separator, latest, installed, add, remove, update, ...commands } = habits[manager];
  return {
    ...commands,
    install: `${manager} install`,
    run: (script, ...args) =>
      [
        short.includes(script) ? manager : `${manager} run`,
        script,
        ...(args.length > 0 ? separator : []),
        ...args,
      ].join(" "),
    latest: (name) => `${latest} ${name}@latest`,
    installed: (name) => `${installed} ${name}`,
    add: (...names) =>
      [manager, section === "dependencies" ? add.replace(/ --(?:save-)?dev$/, "") : add, ...names].join(" "),
    remove: (...names) => [manager, remove, ...names].join(" "),
    update: (name) => `${manager} ${update} ${name}`,
  };
}

interface Habits {
  /** Scripts that run without the word `run`. */
  readonly short: readonly string[];
  /** Separator before the arguments of a script. */
  readonly separator: readonly string[];
  readonly latest: string;
  readonly installed: string;
  readonly add: string;
  readonly remove: string;
  readonly update: string;
  readonly frozen: string;
  readonly setup: string;
  readonly lockFiles: string;
}

const habits: { readonly [Name in PackageManager]: Habits } = {
  npm: {
    short: ["start", "test"],
    separator: ["--"],
    latest: "npx",
    installed: "npx",
    add: "install --save-dev",
    remove: "uninstall",
    update: "update",
    frozen: "npm ci",
    setup: "",
    lockFiles: "package*.json",
  },
  pnpm: {
    short: ["start", "test"],
    separator: [],
    latest: "pnpm dlx",
    installed: "pnpm exec",
    add: "add --save-dev",
    remove: "remove",
    update: "update",
    frozen: "pnpm install --frozen-lockfile",
    setup: "npm install --global pnpm@12",
    lockFiles: "package.json pnpm-*.yaml",
  },
  yarn: {
    short: ["start", "test"],
    separator: [],
    // The first generation of yarn cannot run packages that are not installed; npx comes with Node.
    latest: "npx",
    installed: "yarn run",
    add: "add --dev",
    remove: "remove",
    // The first generation has `upgrade`, newer ones have `up`. For a package that is there, `add` does the same.
    update: "add --dev",
    // Newer generations accept this as `--immutable`.
    frozen: "yarn install --frozen-lockfile",
    // Uses the generation that `package.json` names, else the first.
    setup: "corepack enable",
    lockFiles: "package.json yarn.lock* .yarnrc.yml",
  },
  bun: {
    // `bun test` is bun's own test runner.
    short: [],
    separator: [],
    latest: "bunx",
    installed: "bunx",
    add: "add --dev",
    remove: "remove",
    update: "update",
    frozen: "bun install --frozen-lockfile",
    setup: "npm install --global bun@1",
    lockFiles: "package.json bun.lock*",
  },
};

/** Files for a package manager beside `package.json`, by path; `built` are packages with install scripts. */
export function managerFiles(manager: PackageManager, built: readonly string[]): ReadonlyMap<string, string> {
  switch (manager) {
    case "npm":
    case "bun":
      return new Map();
    case "pnpm":
      return new Map([["pnpm-workspace.yaml", pnpmWorkspace(built)]]);
    case "yarn":
      // The TypeScript compiler is a native program that cannot read from archives.
      return new Map([[yarnSettings, "enableTelemetry: false\nnodeLinker: node-modules\n"]]);
    default:
      return manager satisfies never;
  }
}

/** Allows install scripts of these packages; newer versions of pnpm reject them otherwise. */
function pnpmWorkspace(built: readonly string[]): string {
  const allowed = built.map((name) => `  ${name}: true\n`);
  const only = built.map((name) => `  - ${name}\n`);
  return ["allowBuilds:\n", ...allowed, "onlyBuiltDependencies:\n", ...only].join("");
}
