import { deepestFile, rejectHugeFile } from "../tool-schema/bounds.ts";
import { isRecord } from "../../internal/json-text.ts";
import { UserError } from "../../internal/user-error.ts";
import type {
  Contract,
  PromptArgument,
  PromptEntry,
  ResourceEntry,
  ResourceTemplateEntry,
  ToolEntry,
} from "./contract.ts";

/**
 * Reads a contract out of parsed JSON: a contract or a lock file with one, the result of `tools/list` (with or without its envelope), or a bare list
 * of tools. Errors name `origin`.
 *
 * @throws {UserError} when the value is none of them, is too large, or has an entry without a usable name.
 */
export function readContract(value: unknown, origin: string): Contract {
  const source = cutDeepTools(unwrap(value));
  rejectHugeFile(source ?? value, origin);
  if (!source) {
    throw new UserError(
      `${origin} is not a list of tools; pass a result of tools/list, an array of tools, or the lock file of a client.`,
    );
  }
  const { server, revision, capabilities } = source;
  return {
    server: readServer(isRecord(server) ? server : isRecord(source.serverInfo) ? source.serverInfo : {}),
    revision: typeof revision === "string" ? revision : "",
    ...(capabilities !== undefined && { capabilities: readCapabilities(capabilities) }),
    tools: readList(source, "tools", origin, readTool),
    prompts: readList(source, "prompts", origin, readPrompt),
    resources: readList(source, "resources", origin, readResource),
    resourceTemplates: readList(source, "resourceTemplates", origin, readTemplate),
  };
}

/** Cuts tools that are nested too deeply for any message. The rest is still deeper than a schema may be, so they are left out by name. */
function cutDeepTools(source: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
  if (!source || !Array.isArray(source.tools)) return source;
  return { ...source, tools: source.tools.map((tool: unknown) => cut(tool, deepestFile - levelsAbove)) };
}

function cut(value: unknown, levels: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return {};
  if (Array.isArray(value)) return value.map((item: unknown) => cut(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cut(member, levels - 1)]));
}

/** Levels above a tool: the contract and the list. */
const levelsAbove = 2;

function unwrap(value: unknown): Record<string, unknown> | undefined {
  if (Array.isArray(value)) return { tools: value };
  if (!isRecord(value)) return undefined;
  if (isRecord(value.contract)) return value.contract;
  if (isRecord(value.result) && Array.isArray(value.result.tools)) return value.result;
  return Array.isArray(value.tools) ? value : undefined;
}

function readServer({ name, version }: Record<string, unknown>): Contract["server"] {
  return { name: typeof name === "string" ? name : "", version: typeof version === "string" ? version : "" };
}

/** Reads the paths of declared capabilities, or the paths listed in a contract. */
function readCapabilities(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.filter((path) => typeof path === "string");
  return isRecord(value) ? toPaths(value).toSorted() : [];
}

/** Returns the paths of capabilities and their members. A member that is false is not declared. */
function toPaths(declared: Record<string, unknown>): string[] {
  return Object.entries(declared).flatMap(([name, value]) => {
    const inner = isRecord(value) ? Object.keys(value).filter((member) => value[member] !== false) : [];
    return [name, ...inner.map((member) => `${name}.${member}`)];
  });
}

function readList<Entry>(
  source: Record<string, unknown>,
  key: string,
  origin: string,
  read: (entry: Record<string, unknown>) => Entry | undefined,
): Entry[] {
  const list = source[key];
  if (list === undefined) return [];
  if (!Array.isArray(list)) throw new UserError(`${origin}: "${key}" is not a list.`);
  return list.map((entry: unknown, index) => {
    const found = isRecord(entry) ? read(entry) : undefined;
    if (found === undefined)
      throw new UserError(`${origin}: ${key}[${index}] has no usable name or address; correct or remove it.`);
    return found;
  });
}

function readTool(entry: Record<string, unknown>): ToolEntry | undefined {
  const { name, inputSchema = { type: "object" }, outputSchema, annotations } = entry;
  if (!isName(name)) return undefined;
  return {
    name,
    ...readText(entry, "title"),
    ...readText(entry, "description"),
    inputSchema,
    ...(outputSchema !== undefined && outputSchema !== null && { outputSchema }),
    ...(isRecord(annotations) && { annotations }),
  };
}

function readPrompt(entry: Record<string, unknown>): PromptEntry | undefined {
  const { name, arguments: list = [] } = entry;
  if (!isName(name)) return undefined;
  const args: readonly unknown[] = Array.isArray(list) ? list : [];
  const texts = { ...readText(entry, "title"), ...readText(entry, "description") };
  const byName = new Map(args.flatMap(readArgument).map((argument) => [argument.name, argument]));
  return { name, ...texts, arguments: [...byName.values()] };
}

function readArgument(value: unknown): PromptArgument[] {
  if (!isRecord(value) || !isName(value.name) || value.name === "__proto__") return [];
  return [{ name: value.name, ...readText(value, "description"), required: value.required === true }];
}

function readResource(entry: Record<string, unknown>): ResourceEntry | undefined {
  const { uri, name = uri } = entry;
  if (!isName(uri) || !isName(name)) return undefined;
  return { uri, name, ...readTexts(entry) };
}

function readTemplate(entry: Record<string, unknown>): ResourceTemplateEntry | undefined {
  const { uriTemplate, name = uriTemplate } = entry;
  if (!isName(uriTemplate) || !isName(name)) return undefined;
  return { uriTemplate, name, ...readTexts(entry) };
}

function readTexts(entry: Record<string, unknown>): Pick<ResourceEntry, "title" | "description" | "mimeType"> {
  return { ...readText(entry, "title"), ...readText(entry, "description"), ...readText(entry, "mimeType") };
}

function readText<Key extends string>(entry: Record<string, unknown>, key: Key): { readonly [K in Key]?: string } {
  const value = entry[key];
  const found: { [K in Key]?: string } = {};
  return typeof value === "string" ? Object.assign(found, { [key]: value }) : found;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 2_048;
}
