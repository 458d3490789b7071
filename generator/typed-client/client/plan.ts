import type { Contract, PromptEntry, ResourceTemplateEntry, ToolEntry } from "../contract/contract.ts";
import { avoidDevice } from "../../internal/files.ts";
import { toFileName, toMemberName, toTypeName } from "../tool-schema/names.ts";
import { createNamer, uniqueName } from "../../internal/unique-name.ts";
import { readSchema, type ReadSchemaOptions } from "../tool-schema/read-schema.ts";
import type { AcceptPattern } from "../tool-schema/reading.ts";
import { anySchema, SchemaRejection, type SafeDocument, type SchemaLoss } from "../tool-schema/safe-schema.ts";
import { outputLine } from "../../internal/text.ts";

/** Plan of a client: every name is settled and every schema is safe. */
export interface ClientPlan {
  /** Prefix of type names: `GitHub`. */
  readonly type: string;
  /** Name reported by the server for itself. */
  readonly server: string;
  readonly tools: readonly ToolPlan[];
  readonly prompts: readonly PromptPlan[];
  readonly templates: readonly TemplatePlan[];
  /** Tools without a method, with reasons. */
  readonly rejected: readonly Rejection[];
}

/** Plan of one tool. */
export interface ToolPlan {
  readonly entry: ToolEntry;
  /** Name of its method. */
  readonly member: string;
  /** Prefix of the names of its types. */
  readonly type: string;
  /** Name of its file, without extension. */
  readonly file: string;
  readonly input: SafeDocument;
  readonly output?: SafeDocument;
  readonly losses: readonly SchemaLoss[];
}

/** Plan of one prompt. */
export interface PromptPlan {
  readonly entry: PromptEntry;
  readonly member: string;
  readonly type: string;
}

/** Plan of one resource template. */
export interface TemplatePlan {
  readonly entry: ResourceTemplateEntry;
  readonly member: string;
  readonly type: string;
  readonly variables: readonly TemplateVariable[];
}

/** A variable of a URI template. */
export interface TemplateVariable {
  readonly name: string;
  /** True if the variable is a list: `{name*}`. */
  readonly isList: boolean;
  /** True if the variable belongs to a query or to parameters, which may be left out. */
  readonly isOptional: boolean;
}

/** Something that cannot be part of a client. */
export interface Rejection {
  readonly name: string;
  readonly reason: string;
}

/** Returns the variables of a URI template. Throws when the template is invalid. */
export type ReadVariables = (template: string) => readonly TemplateVariable[];

/** Options of the plan of a client. */
export interface PlanOptions {
  /** Name of the server, in any spelling. */
  readonly name: string;
  readonly readVariables: ReadVariables;
  /** Accepts the patterns for the client to check. Default: the patterns a backtracking engine matches in linear time. */
  readonly acceptPattern?: AcceptPattern;
  /**
   * Order in which entries get their names in code. If several differ only in spelling, the first one gets the plain name. A server may list its
   * entries in any order; use the order of the list only if it is recorded. Default: the order of their names.
   */
  readonly order?: "name" | "list";
}

/** Plans the client of a server. */
export function planClient(contract: Contract, options: PlanOptions): ClientPlan {
  const { name, readVariables, acceptPattern, order = "name" } = options;
  const type = toTypeName(name);
  const rejected: Rejection[] = [];
  const names = createNames(type);
  const planned = acceptPattern === undefined ? {} : { acceptPattern };
  const namedTools = unrepeated(contract.tools, (entry) => entry.name, rejected);
  const tools = planInOrder(namedTools, order, (entry) =>
    attempt(entry.name, rejected, () => planTool(entry, names, planned)),
  );
  const namedPrompts = unrepeated(contract.prompts, (entry) => entry.name, rejected);
  const prompts = planInOrder(namedPrompts, order, (entry): PromptPlan[] => [
    { entry, member: names.prompt(entry.name), type: names.type(`${toTypeName(entry.name)}Prompt`) },
  ]);
  const templates = planInOrder(contract.resourceTemplates, order, (entry) =>
    attempt(entry.name, rejected, (): TemplatePlan => {
      const variables = readVariables(entry.uriTemplate);
      return {
        entry,
        member: names.template(entry.name),
        type: names.type(`${toTypeName(entry.name)}Variables`),
        variables,
      };
    }),
  );
  return { type, server: contract.server.name, tools, prompts, templates, rejected };
}

/** Plans entries of one kind in the given order, and returns the plans in the order of the list. */
function planInOrder<Entry extends NamedEntry, Plan extends { readonly entry: Entry }>(
  entries: readonly Entry[],
  order: "name" | "list",
  plan: (entry: Entry) => readonly Plan[],
): Plan[] {
  if (order === "list") return entries.flatMap(plan);
  const places = new Map(entries.map((entry, place) => [entry, place]));
  const placeOf = (entry: Entry): number => places.get(entry) ?? 0;
  const plans = entries.toSorted(compareEntries).flatMap(plan);
  return plans.toSorted((one, other) => placeOf(one.entry) - placeOf(other.entry));
}

interface NamedEntry {
  readonly name: string;
  readonly uriTemplate?: string;
}

/** Compares entries by name. Only templates may have the same name. */
function compareEntries(one: NamedEntry, other: NamedEntry): number {
  return compareNames(one.name, other.name) || compareNames(one.uriTemplate ?? "", other.uriTemplate ?? "");
}

/** Compares names. Valid names in code come first. */
function compareNames(one: string, other: string): number {
  const isPlain = (name: string): boolean => toMemberName(name) === name;
  if (isPlain(one) !== isPlain(other)) return isPlain(one) ? -1 : 1;
  return one === other ? 0 : one < other ? -1 : 1;
}

/** Plans one tool. The schema of its arguments is always one of objects. */
function planTool(entry: ToolEntry, names: Names, options: ReadSchemaOptions): ToolPlan {
  const input = readInput(entry.inputSchema, options);
  const output = entry.outputSchema === undefined ? undefined : readSchema(entry.outputSchema, options);
  const losses = [
    ...input.losses.map((loss) => ({ ...loss, path: `inputSchema${loss.path}` })),
    ...(output?.losses ?? []).map((loss) => ({ ...loss, path: `outputSchema${loss.path}` })),
  ];
  const type = names.type(toTypeName(entry.name));
  return {
    entry,
    member: names.tool(entry.name),
    type,
    file: names.file(entry.name),
    input,
    ...(output && { output }),
    losses,
  };
}

function readInput(schema: unknown, options: ReadSchemaOptions): SafeDocument {
  const document = readSchema(schema, options);
  const { types } = document.root;
  if (types?.length === 1 && types[0] === "object") return document;
  const fits = types === undefined || types.includes("object");
  const losses = fits
    ? document.losses
    : [...document.losses, { kind: "corrected", path: "", message: "arguments are always an object" } as const];
  const root = fits ? { ...document.root, types: ["object" as const] } : { ...anySchema, types: ["object" as const] };
  return { ...document, root, losses };
}

interface Names {
  readonly tool: (name: string) => string;
  readonly prompt: (name: string) => string;
  readonly template: (name: string) => string;
  readonly file: (name: string) => string;
  readonly type: (name: string) => string;
}

function createNames(type: string): Names {
  // Names that are always imported or declared next to the types of a tool.
  const reserved = ["", "Client", "Tools", "Prompts", "Resources", "Mock"].map((ending) => type + ending);
  const taken = new Set([
    ...reserved,
    "Check",
    "Tool",
    "Session",
    "CallOptions",
    "ToolResult",
    "PromptResult",
    "ResourceResult",
  ]);
  return {
    tool: createNamer(
      toMemberName,
      new Set([...inherited, `create${type}client`.toLowerCase(), `mock${type}`.toLowerCase()]),
    ),
    prompt: createNamer(toMemberName, new Set(inherited)),
    template: createNamer(toMemberName, new Set(inherited)),
    file: createNamer((name) => avoidDevice(toFileName(name), "tool"), new Set()),
    type: (wanted) => {
      // Names of a tool's types consist of this name and a suffix. It must not collide with the name of another type.
      const found = uniqueName(wanted, (name) => taken.has(name));
      taken.add(found);
      return found;
    },
  };
}

/**
 * Reserved names: members of every object; words that would be a syntax error as names of constants; and `then`, which would make a client look like
 * a promise.
 */
const inherited = [
  ...Object.getOwnPropertyNames(Object.prototype),
  "then",
  ...words(`arguments await break case catch class const continue debugger default delete do else enum eval export extends false
    finally for function if implements import in instanceof interface let new null package private protected public return static
    super switch this throw true try typeof undefined var void while with yield`),
  // Names that the files of a client import and declare themselves.
  ...words(`all any anything check items later members nothing numeric one text tool types values args callTool compileRe2
    createMockSession getPrompt mock options parseUriTemplate readResource session variables`),
].map((name) => name.toLowerCase());

function words(text: string): string[] {
  return text.split(/\s+/);
}

function unrepeated<Entry>(list: readonly Entry[], nameOf: (entry: Entry) => string, rejected: Rejection[]): Entry[] {
  const seen = new Set<string>();
  return list.filter((entry) => {
    const name = nameOf(entry);
    if (seen.has(name)) rejected.push({ name, reason: "its name is already used" });
    const isFirst = !seen.has(name);
    seen.add(name);
    return isFirst;
  });
}

/** Returns the reason why something is left out: its own message, or a note about an internal error caused by its schema. */
export function rejectionText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const isOwn = error instanceof SchemaRejection || text.startsWith("URI template");
  return isOwn ? text : `no code can be generated (${text})`;
}

/** Plans one tool or template. If it cannot be used, it is left out; the others stay. */
function attempt<Plan>(name: string, rejected: Rejection[], plan: () => Plan): Plan[] {
  try {
    return [plan()];
  } catch (error) {
    rejected.push({ name, reason: rejectionText(error) });
    return [];
  }
}

/** Lists the changed or lost parts of a server's schemas, one per line, and the omitted tools. */
export function lossLines({ tools, rejected }: ClientPlan): string[] {
  const lost = tools.flatMap(({ entry, losses }) =>
    losses.map(
      ({ kind, path, message }) =>
        `${kind.padEnd(9)}  ${outputLine(entry.name, 80)}  ${outputLine(path)}: ${outputLine(message)}`,
    ),
  );
  const gone = rejected.map(({ name, reason }) => `left out   ${outputLine(name, 80)}: ${outputLine(reason)}`);
  return [...lost, ...gone];
}
