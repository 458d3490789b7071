import { isObject, type Revision } from "../../generated/support.ts";
import { checkHint } from "../protocol/methods/cache-hint.ts";
import { SetupError } from "../jsonrpc/errors.ts";
import type { Feature } from "./feature.ts";
import type { AnyCoreDefinition } from "./any-definition.ts";
import { checkRate } from "../jsonrpc/token-bucket.ts";
import { checkTool } from "./tools/registry.ts";

/**
 * Checks that the lists of a definition are arrays of definitions with a handler. A definition imported in a circle of modules is `undefined` when it
 * is read.
 *
 * @throws {SetupError} at the first mistake
 */
export function checkLists(source: object): void {
  for (const [list, handler] of Object.entries(handlers)) {
    const entries: unknown = Reflect.get(source, list) ?? [];
    if (!Array.isArray(entries)) throw new SetupError(`${list} is not an array; write ${list}: [...]`);
    for (const [place, entry] of entries.entries()) checkEntry(`${list}[${place}]`, entry, handler);
  }
}

/** Lists of definitions, each with the handler of its entries. */
const handlers = {
  tools: "execute",
  resources: "read",
  resourceTemplates: "read",
  prompts: "get",
  extensions: undefined,
} as const;

function checkEntry(place: string, entry: unknown, handler: string | undefined): void {
  if (!isObject(entry)) throw new SetupError(`${place} is ${String(entry)}; check its import, which may be circular`);
  if (handler === undefined || typeof entry[handler] === "function") return;
  throw new SetupError(`${place} has no function ${handler}; add it, or await the entry if it is a promise`);
}

/**
 * Checks a definition for mistakes at any revision.
 *
 * @throws {SetupError} at the first mistake
 */
export function checkServer(source: AnyCoreDefinition): void {
  const { tools = [] } = source;
  checkCount("pageSize", source.pageSize);
  checkCount("maxSubscriptions", source.maxSubscriptions);
  for (const [name, hint] of Object.entries(source.cacheHints ?? {})) checkHint(`cacheHints.${name}`, hint);
  if (source.logRate) checkRate("logRate", source.logRate);
  if (source.progressRate) checkRate("progressRate", source.progressRate);
  for (const tool of tools) checkTool(tool);
  const names = tools.map(({ name }) => name);
  checkUnique("tools", "name", names);
}

/**
 * Checks a definition for mistakes in its features, and for members whose feature the program does not contain.
 *
 * @throws {SetupError} at the first mistake
 */
export function checkFeatures(
  source: AnyCoreDefinition,
  features: readonly Feature[],
  revisions: readonly Revision[],
): void {
  for (const feature of features) feature.check?.(source, revisions);
  for (const [member, name] of Object.entries(served)) if (hasSome(source, member)) need(name, features);
  if (source.tools?.some(({ ui }) => ui)) need("apps", features);
  if (source.tasks ?? source.tools?.some(({ task }) => task)) need("tasks", features);
  if ((source.handlers ?? source.fallback) && !features.some(({ name }) => name === "methods"))
    throw new SetupError("handlers are not part of this project; add them with create-mcp-server update --client");
}

/**
 * Rejects lists in which two entries have the same key.
 *
 * @throws {SetupError} when a key occurs twice
 */
export function checkUnique(list: string, key: string, values: readonly string[]): void {
  const places = new Map<string, number>();
  for (const [place, value] of values.entries()) {
    const earlier = places.get(value);
    if (earlier !== undefined) {
      throw new SetupError(
        `${list}[${earlier}] and ${list}[${place}] have the same ${key} ${JSON.stringify(value)}; rename one of them`,
      );
    }
    places.set(value, place);
  }
}

/** Members of a definition with lists, each with the name of the feature serving it. */
const served = {
  resources: "resources",
  resourceTemplates: "resources",
  prompts: "prompts",
  skills: "skills",
} as const;

function hasSome(source: object, member: string): boolean {
  const given: unknown = Reflect.get(source, member);
  return Array.isArray(given) && given.length > 0;
}

function need(name: Feature["name"], features: readonly Feature[]): void {
  if (features.some((feature) => feature.name === name)) return;
  throw new SetupError(
    `Feature "${name}" is not part of this project; add it with create-mcp-server update --features …,${name}`,
  );
}

function checkCount(option: string, count: number | undefined): void {
  if (count === undefined || (Number.isInteger(count) && count > 0)) return;
  throw new SetupError(`${option} is ${count}; use a whole number above 0, or omit it for the default`);
}
