import { existsSync, readFileSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import validate from "validate-npm-package-name";
import { safeLine } from "../../internal/text.ts";
import { UserError } from "../../internal/user-error.ts";
import { suggestName } from "../create/name.ts";
import { choosePackageManager, readManager, type PackageManager } from "../create/package-manager.ts";
import { readWord } from "../create/project-choices.ts";
import type { ImportEnding } from "../layer/choices.ts";
import { lockName } from "../layer/lock.ts";
import { frameworks, type Framework } from "../mount/frameworks.ts";
import { readManifest, type Manifest } from "./manifest.ts";
import { readImportEnding, readInstalledMajor, readMajor } from "./typescript-settings.ts";

/** An existing application, to which a server is added. */
export interface Application {
  /** Absolute path of its folder. */
  readonly folder: string;
  /** Name of the server: the name of the package, without its scope. */
  readonly name: string;
  readonly framework: Framework;
  readonly manager: PackageManager;
  readonly manifest: Manifest;
  /** Text of `package.json`. */
  readonly text: string;
  /** Kind of its sources: TypeScript, compiled by the application itself, or JavaScript, for which the server is bundled. */
  readonly sources: { readonly kind: "typescript"; readonly ending: ImportEnding } | { readonly kind: "javascript" };
  /** True for platforms with many isolates of an application. */
  readonly isOnEdge: boolean;
  /** Folder of the App Router, relative to the application: `app` or `src/app`. Only for Next.js. */
  readonly routes?: string;
}

/** Choice of an application, as text from the command line. */
export interface ApplicationText {
  readonly directory: string;
  readonly framework?: string | undefined;
  readonly packageManager?: string | undefined;
}

/** Reads an existing application. Changes nothing. @throws {UserError} when a server cannot be added to it. */
export async function readApplication({ directory, ...given }: ApplicationText): Promise<Application> {
  const folder = resolve(directory);
  const text = await readPackage(folder);
  const manifest = readManifest(text, join(folder, "package.json"));
  rejectLayer(folder);
  const framework = readFramework(folder, manifest, given.framework);
  rejectWorkspace(folder, manifest, framework);
  const isOnEdge = ["wrangler.jsonc", "wrangler.json", "wrangler.toml"].some((name) => existsSync(join(folder, name)));
  if (isOnEdge && framework === "node" && given.framework === undefined)
    throw new UserError(
      "the application is a Worker without a known framework; install hono, or create a project with --target worker.",
    );
  const routes = framework === "next" ? findRoutes(folder) : undefined;
  const isTyped = existsSync(join(folder, "tsconfig.json"));
  if (framework === "next" && !isTyped)
    throw new UserError(
      "the application is in JavaScript; add an empty tsconfig.json, and run next dev, which fills it.",
    );
  return {
    folder,
    name: readName(folder, manifest),
    framework,
    manager:
      given.packageManager === undefined ? await readManager(folder) : choosePackageManager(given.packageManager),
    manifest,
    text,
    sources: isTyped ? { kind: "typescript", ending: readImportEnding(folder, manifest) } : { kind: "javascript" },
    isOnEdge,
    ...(routes !== undefined && { routes }),
  };
}

async function readPackage(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory()) throw new UserError(`${safeLine(folder)} is not a folder; name that of your application.`);
  return readFile(join(folder, "package.json"), "utf8").catch((error: unknown) => {
    const advice = "run npm init in it, or create a project: create-mcp-server my-server";
    throw new UserError(`${safeLine(folder)} has no package.json; ${advice}`, { cause: error });
  });
}

function rejectLayer(folder: string): void {
  const layer = join(folder, "src", "mcp");
  if (existsSync(join(layer, lockName)))
    throw new UserError("src/mcp has a server already; change it with create-mcp-server update.");
  if (existsSync(layer))
    throw new UserError("src/mcp exists already; rename it, because the protocol layer needs this name.");
}

function readFramework(folder: string, { packages }: Manifest, given: string | undefined): Framework {
  const names = ["next", "express", "fastify", "hono"] as const;
  const present = names.filter((name) => packages[name] !== undefined);
  const word = given === undefined ? undefined : readWord("--framework", given, [...names, "node"] as const);
  // An application of Next.js may use parts of other frameworks.
  const chosen = word ?? (present.includes("next") ? "next" : (present[0] ?? "node"));
  if (word === undefined && chosen !== "next" && present.length > 1)
    throw new UserError(`package.json has ${present.join(" and ")}; choose one with --framework ${present[0]}.`);
  const other = otherFrameworks.find((name) => packages[name] !== undefined);
  if (word === undefined && chosen === "node" && other !== undefined)
    throw new UserError(`${other} is not supported; use the adapter for node:http by hand with --framework node.`);
  if (chosen === "node") return chosen;
  if (packages[chosen] === undefined)
    throw new UserError(`package.json does not have ${chosen}; install it, or choose another --framework.`);
  const { title, oldest, newest } = frameworks[chosen];
  const major = readInstalledMajor(folder, chosen) ?? readMajor(packages[chosen]);
  if (major !== undefined && major < oldest)
    throw new UserError(`${title} ${major} is not supported; update it to ${oldest} or newer (${newest} is tested).`);
  return chosen;
}

/** Packages of frameworks without an adapter of their own. */
const otherFrameworks: readonly string[] = ["koa", "@nestjs/core", "@hapi/hapi", "restify", "@adonisjs/core", "polka"];

/** Rejects the root of a workspace: its packages are the applications. */
function rejectWorkspace(folder: string, { hasWorkspaces }: Manifest, framework: Framework): void {
  const path = join(folder, "pnpm-workspace.yaml");
  const isRoot = hasWorkspaces || (existsSync(path) && /^packages:/m.test(readFileSync(path, "utf8")));
  if (isRoot && framework === "node")
    throw new UserError("this is the root of a workspace; name the folder of a package in it: init packages/api");
}

function findRoutes(folder: string): string {
  const found = ["app", "src/app"].find((path) => existsSync(join(folder, path)));
  if (found !== undefined) return found;
  throw new UserError("the application has no App Router; create the folder app with a layout and a page first.");
}

/** Returns the name of the server. @throws {UserError} when the manifest has no valid name of a package. */
function readName(folder: string, { name }: Manifest): string {
  if (name === undefined || name === "") return suggestName(basename(folder), []);
  const { errors = [], validForOldPackages } = validate(name);
  if (validForOldPackages) return name.slice(name.indexOf("/") + 1);
  throw new UserError(`"name" in package.json cannot be a package name: ${errors[0] ?? "it is not valid"}; change it.`);
}
