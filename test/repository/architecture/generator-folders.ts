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
  "live",
  "inspect",
  "check",
  "diff",
  // Pages about the protocol.
  "reference",
  // Recordings of servers: mocks, and tests.
  "replay",
  "explain",
  "generate.ts",
  "index.ts",
  "scaffold",
  "commands",
  "program.ts",
  "cli.ts",
];

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

/** Entries of the runtime that commands may import. */
const runtimeEntries = [
  "runtime/index.ts",
  "runtime/client/index.ts",
  "runtime/gateway/index.ts",
  "generated/revisions.ts",
];

/** Packages that the generator may import. */
const generatorPackages = [...singleImporters, "yargs", "@clack/prompts", "validate-npm-package-name"];

/** Packages of the page of `inspect`, which runs in a browser. */
const pagePackages = ["preact", "@preact/signals"];

function isBelow(other: string, folder: string): boolean {
  const [at, own] = [generatorFolders.indexOf(other), generatorFolders.indexOf(folder)];
  return at >= 0 && at <= own;
}

/** True for files that connect to servers. They import the runtime, which the other files only generate parts of. */
function opensConnections(path: string): boolean {
  return /^generator\/(live|inspect|typed-client\/client|check|replay)\/|^generator\/commands\/(client|check|diff)\.ts$/.test(
    path,
  );
}

/** True if a file of the generator may import another file or a package. */
export function isAllowedInGenerator(path: string, folder: string, target: string): boolean {
  if (opensConnections(path) && /^(runtime|generated)\//.test(target)) return true;
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
  // A Server Card has one description, for servers and for files that contain or compare one.
  const handlesCards = path === "generator/diff/cards.ts" || path === "generator/scaffold/extras/card-file.ts";
  if (handlesCards && /^runtime\/server-card\/(card|differences)\.ts$/.test(target)) return true;
  // A template that a server rejects is rejected before it is written.
  if (path === "generator/scaffold/add/template-view.ts" && target === "runtime/server/resources/uri-template.ts")
    return true;
  // The tables of a spec folder are generated, and then loaded from where they were written.
  if (path === "generator/commands/load-revisions.ts" && target === "(computed)") return true;
  return (
    (target.startsWith("generator/") && isBelow(target.split("/")[1] ?? "", folder)) ||
    target.startsWith("node:") ||
    generatorPackages.includes(packageOf(target)) ||
    (path.startsWith("generator/inspect/page/") && pagePackages.includes(packageOf(target))) ||
    (folder === "commands" && runtimeEntries.includes(target))
  );
}
