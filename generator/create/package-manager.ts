import { readdir } from "node:fs/promises";
import { UserError } from "../user-error.ts";

/** Package managers that a project may be kept with. */
export const packageManagers = ["npm", "pnpm", "yarn", "bun"] as const;

/** One of them. */
export type PackageManager = (typeof packageManagers)[number];

/** The one that was named, otherwise the one that runs this program, otherwise npm. Throws a {@link UserError} for any other name. */
export function choosePackageManager(
  named: string | undefined,
  userAgent: string = process.env.npm_config_user_agent ?? "",
): PackageManager {
  const word = named ?? userAgent.split("/")[0];
  const found = packageManagers.find((manager) => manager === word);
  if (found !== undefined || named === undefined) return found ?? "npm";
  throw new UserError(
    `--package-manager: there is no ${JSON.stringify(named)}. Choose one of ${packageManagers.join(", ")}.`,
  );
}

/** The one whose files a project has, otherwise the one that runs this program. */
export async function readManager(project: string): Promise<PackageManager> {
  const present = new Set(await readdir(project));
  const found = packageManagers.find((manager) => traces[manager].some((name) => present.has(name)));
  return found ?? choosePackageManager(undefined);
}

const traces: { readonly [Name in PackageManager]: readonly string[] } = {
  npm: ["package-lock.json"],
  pnpm: ["pnpm-lock.yaml", "pnpm-workspace.yaml"],
  yarn: ["yarn.lock", ".yarnrc.yml"],
  bun: ["bun.lock", "bun.lockb"],
};

/** What a person types to do something with a package manager. */
export interface ManagerCommands {
  readonly install: string;
  /** The same for machines: exactly what the lock file says, or nothing. */
  readonly frozen: string;
  /** Brings the manager where only Node is; nothing where it comes with Node. */
  readonly setup: string;
  /** What an installation reads, as words of a shell; a `*` is there so that a missing file is reported by the manager, which says more. */
  readonly lockFiles: string;
  /** Runs a script of the project; what follows goes to it. */
  run(script: string, ...args: readonly string[]): string;
  /** Runs the newest version of a package. */
  latest(name: string): string;
}

/** The commands of a package manager. */
export function commandsOf(manager: PackageManager): ManagerCommands {
  const { short, separator, latest, ...commands } = habits[manager];
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
  };
}

interface Habits {
  /** Scripts that need no `run`. */
  readonly short: readonly string[];
  /** What stands before the arguments of a script. */
  readonly separator: readonly string[];
  readonly latest: string;
  readonly frozen: string;
  readonly setup: string;
  readonly lockFiles: string;
}

const habits: { readonly [Name in PackageManager]: Habits } = {
  npm: {
    short: ["start", "test"],
    separator: ["--"],
    latest: "npx",
    frozen: "npm ci",
    setup: "",
    lockFiles: "package*.json",
  },
  pnpm: {
    short: ["start", "test"],
    separator: [],
    latest: "pnpm dlx",
    frozen: "pnpm install --frozen-lockfile",
    setup: "npm install --global pnpm@12",
    lockFiles: "package.json pnpm-*.yaml",
  },
  yarn: {
    short: ["start", "test"],
    separator: [],
    // The first generation of yarn cannot run what is not installed; npx comes with Node.
    latest: "npx",
    // Newer generations take this for --immutable.
    frozen: "yarn install --frozen-lockfile",
    // Uses the generation that package.json names, otherwise the first.
    setup: "corepack enable",
    lockFiles: "package.json yarn.lock* .yarnrc.yml",
  },
  bun: {
    // `bun test` is a test runner of its own.
    short: [],
    separator: [],
    latest: "bunx",
    frozen: "bun install --frozen-lockfile",
    setup: "npm install --global bun@1",
    lockFiles: "package.json bun.lock*",
  },
};

/** Files that a package manager wants to have beside `package.json`, by path; `built` are packages that run a script of their own when installed. */
export function managerFiles(manager: PackageManager, built: readonly string[]): ReadonlyMap<string, string> {
  switch (manager) {
    case "npm":
    case "bun":
      return new Map();
    case "pnpm":
      return new Map([["pnpm-workspace.yaml", pnpmWorkspace(built)]]);
    case "yarn":
      // The compiler is a program that cannot look into archives.
      return new Map([[".yarnrc.yml", "enableTelemetry: false\nnodeLinker: node-modules\n"]]);
    default:
      return manager satisfies never;
  }
}

/** Without the permission newer versions refuse to install packages with such scripts. */
function pnpmWorkspace(built: readonly string[]): string {
  const allowed = built.map((name) => `  ${name}: true\n`);
  const only = built.map((name) => `  - ${name}\n`);
  return ["allowBuilds:\n", ...allowed, "onlyBuiltDependencies:\n", ...only].join("");
}
