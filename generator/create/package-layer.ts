import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Templates } from "../emit/templates.ts";
import type { Tree } from "../emit/tree.ts";
import { wholeFolder } from "../move.ts";
import { explainCause, UserError } from "../user-error.ts";
import { runManager } from "./install.ts";
import { lastLines } from "./run.ts";
import { furtherView, runName, toListText } from "./layer/entry-view.ts";
import type { LayerChoices } from "./layer/choices.ts";

/** Name of the template of the module that replaces an emitted layer. */
export const packageTemplate = "package/mcp.ts";

/** Emits `src/mcp.ts`, which exports the names of an emitted layer from this package. */
export function emitPackageLayer(choices: LayerChoices, templates: Templates): string {
  const { transports, client, auth, offers } = choices;
  const revisions = choices.revisions.map((id, at) => ({
    id,
    alias: `revision${id.replaceAll("-", "")}`,
    newest: at === 0,
  }));
  const run = runName(transports);
  const hasFurther = transports.includes("websocket") || transports.includes("tcp");
  const names = [
    ...(transports.includes("worker") ? ["createHttpHandler"] : []),
    ...(client ? ["connectHttp", "connectStdio"] : []),
    ...(offers.includes("skills") ? ["createSkill"] : []),
    ...(offers.includes("ui") ? ["createUiResource"] : []),
    ...["fromJsonSchema", "inputRequired"],
    ...(auth !== "none" && transports.includes("stdio") ? ["readHttpPort"] : []),
    ...(run === "" || hasFurther ? [] : [`${run} as run`]),
    ...(transports.includes("http") ? ["serveHttp"] : []),
    ...(transports.includes("stdio") ? ["serveStdio"] : []),
    ...(offers.includes("questions") ? ["CapabilityError"] : []),
    "SetupError",
    "ToolError",
  ];
  const view = {
    client,
    validator: choices.validator,
    re2js: choices.re2js === true,
    run,
    ...furtherView(transports),
    skillFolders: offers.includes("skills") && !transports.includes("worker"),
    oauth: auth === "oauth",
    apiKey: auth === "api-key",
    revisions,
    newestId: revisions[0]?.id ?? "",
    names,
    list: toListText(revisions.map(({ alias }) => alias)),
  };
  const text = templates.render(packageTemplate, view);
  return `${text.replaceAll(/\n{3,}/g, "\n\n").trim()}\n`;
}

/** Replaces imports of an emitted layer by imports of the module. */
export function importOfModule(text: string): string {
  return text.replaceAll(/(from "\.{1,2}\/mcp)\/index\.ts"/g, '$1.ts"');
}

/** Replaces imports of an emitted layer by imports of the module, in all files of a project. */
export function importModule(tree: Tree): Map<string, string> {
  return new Map([...tree].map(([path, text]) => [path, importOfModule(text)]));
}

/** Dependency of a project on this package. A clone of the repository has no published version, so the project depends on a packed file. */
export interface OwnDependency {
  readonly version: string;
  /** Path of the packed package in the project; absent when it comes from the registry. */
  readonly archive?: string;
}

/** Returns the dependency of a project on this package. */
export function ownDependency(packageFolder: string, version: string): OwnDependency {
  if (!existsSync(join(packageFolder, ".git"))) return { version: `^${version}` };
  const archive = `vendor/create-mcp-server-${version}.tgz`;
  return { version: `file:${archive}`, archive };
}

/** Packs this package as it was built. @throws {UserError} when packing fails, or the package is not built. */
export async function packOwn(packageFolder: string): Promise<Uint8Array> {
  if (!existsSync(join(packageFolder, "dist", "bundle", "runtime", "index.js")))
    throw new UserError(`${packageFolder} is not built. Run \`npm run build\` in it first.`);
  const folder = await mkdtemp(join(tmpdir(), "pack-"));
  try {
    const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
    const packed = await runManager(args, { manager: "npm", folder: packageFolder });
    if (!packed.ok) throw new Error(lastLines(packed));
    const [name = ""] = await readdir(folder);
    return await readFile(join(folder, name));
  } catch (error) {
    throw new UserError(`${packageFolder} could not be packed: ${explainCause(error)}`, { cause: error });
  } finally {
    await rm(folder, wholeFolder);
  }
}
