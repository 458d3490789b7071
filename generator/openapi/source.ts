import { basename } from "node:path";
import { readVariables } from "../typed-client/client/variables.ts";
import { planClient, type ClientPlan, type Rejection, type ToolPlan } from "../typed-client/client/plan.ts";
import type { Contract, ToolEntry } from "../typed-client/contract/contract.ts";
import { readContract } from "../typed-client/contract/read-contract.ts";
import { cleanSchema } from "../typed-client/tool-schema/clean-schema.ts";
import { isEnforceable, needsRe2 } from "../typed-client/tool-schema/patterns.ts";
import { isRecord } from "../internal/json-text.ts";
import { SchemaRejection } from "../typed-client/tool-schema/safe-schema.ts";
import { safeLine } from "../internal/text.ts";
import { UserError } from "../internal/user-error.ts";
import { chooseNamed } from "./choose.ts";
import { readDocument } from "./document.ts";
import type { Api, OutputMode } from "./operation.ts";
import { readApi, type ReadApiOptions } from "./read-api.ts";
import { isUrl } from "../../runtime/internal/parse-url.ts";

/** Source of the tools of a project: every name is settled and every schema is safe. */
export interface ProjectSource {
  /** Name of the file, for messages. */
  readonly origin: string;
  /** Tools, prompts and resources of the future server. */
  readonly contract: Contract;
  /** The same with names for code. */
  readonly plan: ClientPlan;
  /** True if its schemas have patterns that only `re2js` matches in linear time. */
  readonly needsRe2: boolean;
  /** Items that cannot become a tool, with reasons. */
  readonly leftOut: readonly Rejection[];
  /** API behind the tools. Without one, the tools have no implementation yet. */
  readonly api?: Api;
  /** Treatment of API responses by the tools. */
  readonly output: OutputMode;
  /** Path of the file, as it was given. */
  readonly path: string;
  /** Tags, names and paths chosen from it. */
  readonly only?: string;
  /** Text before the names of all tools. */
  readonly prefix?: string;
}

/** Options of reading a source. */
export interface ReadSourceOptions {
  /** Tags, names and paths of the wanted parts, with commas. Default: everything. */
  readonly only?: string;
  /** Treatment of API responses by tools. Default: `loose`. */
  readonly output?: OutputMode;
  /** True if words of `only` may match nothing, as long as one matches. Default: `false`. */
  readonly acceptsIdle?: boolean;
  /** Text before the names of the tools of an API. Default: none. */
  readonly prefix?: string;
  /** First word of the names of the settings of an API. Default: `API`. */
  readonly variables?: string;
  /** Existing names of the tools of operations, by method and path. Default: none. */
  readonly toolNames?: ReadonlyMap<string, string>;
  /** Operations without a tool, by method and path. Default: none. */
  readonly except?: readonly string[];
}

/**
 * Reads an OpenAPI document, a list of tools, or a contract.
 *
 * @throws {UserError} when the source cannot be used; the message names the reason and the place.
 */
export async function readSource(path: string, options: ReadSourceOptions = {}): Promise<ProjectSource> {
  return toSource(await readDocument(path), path, options);
}

/**
 * Returns the source in a document, which is the content of the file `path`.
 *
 * @throws {UserError} when the document cannot be used; the message names the reason and the place.
 */
export function toSource(document: unknown, path: string, chosen: ReadSourceOptions): ProjectSource {
  const { output, except = [], ...choices } = chosen;
  const origin = safeLine(basename(path));
  const options = { origin, ...choices };
  const isApi = isRecord(document) && ("openapi" in document || "swagger" in document || "paths" in document);
  const api = isApi ? without(except, readApi(document, options)) : undefined;
  if (output !== undefined && !api)
    throw new UserError(`--output applies to APIs only, and ${origin} describes none; remove --output.`);
  const leftOut: Rejection[] = [...(api?.leftOut ?? [])];
  const contract = api ? toContract(api, output) : cleanContract(readContract(document, origin), options, leftOut);
  const order = api ? "list" : "name";
  const plan = planClient(contract, { name: "Project", readVariables, acceptPattern: isEnforceable, order });
  const tools = plan.tools.filter((tool) => !rejectTool(tool, leftOut));
  const planned = new Set(plan.tools.map(({ entry }) => entry.name));
  const unplanned = new Set(contract.tools.flatMap(({ name }) => (planned.has(name) ? [] : [name])));
  leftOut.push(...plan.rejected.filter(({ name }) => unplanned.has(name)).map(toRejection));
  rejectDoubts(
    plan.rejected.filter(({ name }) => !unplanned.has(name)),
    origin,
  );
  if (api?.operations.length === 0 && except.length > 0)
    throw new UserError(`The tools of all operations of ${origin} were removed; select operations with --only.`);
  rejectNothing(tools, leftOut, origin);
  const kept = contract.tools.filter(({ name }) => tools.some(({ entry }) => entry.name === name));
  return {
    origin,
    contract: { ...contract, tools: kept },
    plan: { ...plan, tools, rejected: [] },
    needsRe2: kept.some(({ inputSchema, outputSchema }) => needsRe2(inputSchema) || needsRe2(outputSchema)),
    leftOut,
    output: output ?? "loose",
    path,
    ...(chosen.only !== undefined && { only: chosen.only }),
    ...(chosen.prefix !== undefined && { prefix: chosen.prefix }),
    ...(api && { api }),
  };
}

/** Leaves out operations. The names of the others stay. */
function without(except: readonly string[], api: Api): Api {
  if (except.length === 0) return api;
  return { ...api, operations: api.operations.filter(({ method, path }) => !except.includes(`${method} ${path}`)) };
}

function toContract({ operations, title }: Api, mode: OutputMode | undefined): Contract {
  const tools = operations.map(({ name, description, method, input, output }): ToolEntry => ({
    name,
    description,
    inputSchema: input,
    ...(output && mode !== "none" && { outputSchema: output }),
    ...(hints[method] && { annotations: hints[method] }),
  }));
  const empty = { prompts: [], resources: [], resourceTemplates: [] };
  return { server: { name: title, version: "" }, revision: "", tools, ...empty };
}

/** Annotations implied by an HTTP method. */
const hints: { readonly [method: string]: ToolEntry["annotations"] } = {
  GET: { readOnlyHint: true },
  HEAD: { readOnlyHint: true },
  OPTIONS: { readOnlyHint: true },
  PUT: { idempotentHint: true },
  DELETE: { destructiveHint: true, idempotentHint: true },
};

function cleanContract(contract: Contract, { origin, only }: ReadApiOptions, leftOut: Rejection[]): Contract {
  if (contract.tools.length === 0) throw new UserError(`${origin} lists no tools; pass a file with at least one tool.`);
  rejectUnreadable(contract, origin);
  const named = contract.tools.map((entry) => ({ entry, names: [entry.name], tags: [] }));
  const chosen = only === undefined ? named : chooseNamed(named, only, { origin, kind: "tool" });
  const seen = new Set<string>();
  const tools = chosen.flatMap(({ entry }) => cleanTool(entry, seen, leftOut));
  return { ...contract, tools };
}

/**
 * Rejects names and addresses with invisible characters or excessive length: they occur in code and in messages to people. Rejects invalid and
 * repeated URIs.
 */
function rejectUnreadable({ prompts, resources, resourceTemplates }: Contract, origin: string): void {
  const texts: (readonly [kind: string, text: string])[] = [
    ...prompts.flatMap(({ name, arguments: all }) => [
      ["prompt", name] as const,
      ...all.map(({ name: argument }) => ["argument", argument] as const),
    ]),
    ...resources.flatMap(({ uri, name }) => [["resource", uri] as const, ["resource", name] as const]),
    ...resourceTemplates.flatMap((one) => [["template", one.uriTemplate] as const, ["template", one.name] as const]),
  ];
  const odd = texts.find(([, text]) => safeLine(text, 500) !== text);
  const place = odd && `${origin}: ${odd[0]} ${JSON.stringify(safeLine(odd[1], 80))}`;
  if (place !== undefined)
    throw new UserError(`${place}: it has invisible characters, or too many characters. ${advice}`);
  const none = resources.find(({ uri }) => !isUrl(uri));
  if (none)
    throw new UserError(`${origin}: resource ${JSON.stringify(none.uri.slice(0, 80))}: it is not a URI. ${advice}`);
  const addresses = [...resources.map(({ uri }) => uri), ...resourceTemplates.map((one) => one.uriTemplate)];
  const twice = addresses.find((uri, at) => addresses.indexOf(uri) < at);
  if (twice !== undefined)
    throw new UserError(`${origin}: ${JSON.stringify(twice.slice(0, 80))} is listed twice. ${advice}`);
}

/** Pattern of valid tool names. Models call tools by them, so they are not changed; servers check them when they start. */
const toolName = /^[\w.-]{1,128}$/;

/** Cleans the schemas of one tool. If it cannot be used, it is left out; the others stay. */
function cleanTool(tool: ToolEntry, seen: Set<string>, leftOut: Rejection[]): ToolEntry[] {
  const { name, inputSchema, outputSchema } = tool;
  const reject = (reason: string): ToolEntry[] => {
    leftOut.push(toRejection({ name, reason }));
    return [];
  };
  if (!toolName.test(name))
    return reject("a name consists of at most 128 letters, digits and _ - . characters; choose another");
  if (seen.has(name)) return reject("its name is already used");
  seen.add(name);
  const clean = (schema: unknown, member: string): unknown => {
    try {
      return cleanSchema(schema);
    } catch (error) {
      if (error instanceof SchemaRejection) throw new SchemaRejection(`${member}${error.message}`);
      throw error;
    }
  };
  try {
    const input = clean(inputSchema, "inputSchema");
    const output = outputSchema === undefined ? {} : { outputSchema: clean(outputSchema, "outputSchema") };
    return [{ ...tool, inputSchema: input, ...output }];
  } catch (error) {
    if (error instanceof SchemaRejection) return reject(error.message);
    throw error;
  }
}

function toRejection({ name, reason }: Rejection): Rejection {
  return { name: `tool ${JSON.stringify(safeLine(name, 80))}`, reason };
}

/** True if a part of a tool's schema had to be removed. The tool is left out then, rather than written incompletely. */
function rejectTool({ entry, losses }: ToolPlan, leftOut: Rejection[]): boolean {
  const loss = losses.find(({ kind }) => kind === "removed");
  if (loss) leftOut.push(toRejection({ name: entry.name, reason: `${loss.path}: ${loss.message}` }));
  return loss !== undefined;
}

const advice = "Correct or remove it in the file.";

/** Rejects a source with an invalid entry other than a tool. */
function rejectDoubts([first]: readonly Rejection[], origin: string): void {
  if (first) throw new UserError(`${origin}: ${safeLine(first.name, 80)}: ${safeLine(first.reason)}. ${advice}`);
}

function rejectNothing(tools: readonly unknown[], leftOut: readonly Rejection[], origin: string): void {
  if (tools.length > 0) return;
  const lines = leftOut.slice(0, 20).map(({ name, reason }) => `\n  ${name}: ${safeLine(reason)}`);
  throw new UserError(`${origin} lists no usable tool. ${advice}${lines.join("")}`);
}
