import { packageOf } from "./sources.ts";

/** Folders and files of the generator: each imports only those before it. */
const generatorFolders = [
  // Helpers that know no protocol.
  "internal",
  "model-rules.ts",
  "model.ts",
  // Questions to the model.
  "model",
  "read",
  "conversions",
  "emit",
  "pin",
  // Schemas and contracts of servers, and clients of them.
  "typed-client",
  "openapi",
  "generate.ts",
  "index.ts",
  "scaffold",
];

/** Folders of the tools, except those of the package `mcp-server-runtime`: each imports only those before it. */
const toolFolders = ["live", "inspect", "check", "diff", "reference", "replay", "explain"];

/** Folders and files of the generator that tools do not import: they write projects. */
const ofProjects = ["generate.ts", "index.ts", "scaffold"];

/** Libraries that at most one file imports, so that they can be replaced. */
export const singleImporters = [
  "ts-morph",
  "handlebars",
  "prettier",
  "json-schema-to-typescript",
  "ajv",
  "yaml",
  "diff",
  "@cfworker/json-schema",
  "@tanstack/virtual-core",
];

/** Packages that the generator, the tools and the command line may import. */
const packages = [...singleImporters, "yargs", "@clack/prompts", "validate-npm-package-name"];

/** Packages of the page of `inspect`, which runs in a browser. */
const pagePackages = ["preact", "@preact/signals"];

/** True if a file of the command line may import another file or a package. */
export function isAllowedInCli(path: string, target: string): boolean {
  // The tables of a spec folder are generated, and then loaded from where they were written.
  if (path === "cli/commands/load-tables.ts" && target === "(computed)") return true;
  return (
    /^(cli|tools|generator|cluster|runtime)\//.test(target) ||
    /^generated\/(revisions|support)\.ts$/.test(target) ||
    isPackage(target, packages)
  );
}

/** True if a file of the tools may import another file or a package. */
export function isAllowedInTools(path: string, target: string): boolean {
  const [room, folder = ""] = target.split("/");
  switch (room) {
    case "generated":
    case "runtime":
    case "cluster":
      return true;
    case "generator":
      return generatorFolders.includes(folder) && !ofProjects.includes(folder);
    case "tools":
      return isBelow(toolFolders, folder, path.split("/")[1] ?? "");
    default:
      return isPackage(target, path.startsWith("tools/inspect/page/") ? [...packages, ...pagePackages] : packages);
  }
}

/** True if a file of the generator may import another file or a package. */
export function isAllowedInGenerator(path: string, folder: string, target: string): boolean {
  // Clients are generated beside the runtime that they use.
  if (path.startsWith("generator/typed-client/client/") && /^(runtime|generated)\//.test(target)) return true;
  // Node has no reliable test of a URL, and no JSON Pointer: these are for all.
  if (/^runtime\/internal\/(json-pointer|parse-url)\.ts$/.test(target)) return true;
  // Programs are started and ended by the same code on every platform.
  const startsPrograms = path === "generator/scaffold/create/run.ts";
  if (startsPrograms && /^runtime\/transport\/stdio\/(command|process-tree)\.ts$/.test(target)) return true;
  // The time that a pattern may take and multiples of a number are determined by the same code when a schema is read, compared and enforced.
  const readsSchemas = /^generator\/(read|typed-client\/(tool-schema|contract))\//.test(path);
  if (
    readsSchemas &&
    /^runtime\/adapters\/(is-multiple|linear-pattern|pattern-syntax|re2-syntax|schema-patterns)\.ts$/.test(target)
  )
    return true;
  // A Server Card has one description, for servers and for files that contain one.
  if (path === "generator/scaffold/extras/card-file.ts" && target === "runtime/server-card/card.ts") return true;
  // A template that a server rejects is rejected before it is written.
  if (
    path === "generator/scaffold/add/template-view.ts" &&
    target === "runtime/server/resources/uri-template/uri-template.ts"
  )
    return true;
  return (
    (target.startsWith("generator/") && isBelow(generatorFolders, target.split("/")[1] ?? "", folder)) ||
    isPackage(target, packages)
  );
}

/** True if a folder is in a list, not after the own one. */
function isBelow(folders: readonly string[], other: string, own: string): boolean {
  const at = folders.indexOf(other);
  return at >= 0 && at <= folders.indexOf(own);
}

function isPackage(target: string, allowed: readonly string[]): boolean {
  return target.startsWith("node:") || allowed.includes(packageOf(target));
}
