import type { Contract, PromptEntry, ResourceTemplateEntry, ToolEntry } from "../contract/contract.ts";
import { avoidDevice } from "../device-name.ts";
import { toFileName, toMemberName, toTypeName, uniqueName } from "../tool-schema/names.ts";
import { readSchema, type ReadSchemaOptions } from "../tool-schema/read-schema.ts";
import type { AcceptPattern } from "../tool-schema/reading.ts";
import { anySchema, SchemaRefusal, type SafeDocument, type SchemaLoss } from "../tool-schema/safe-schema.ts";

/** A client before it is written: every name is settled and every schema is safe. */
export interface ClientPlan {
  /** Beginning of the names of types: `GitHub`. */
  readonly type: string;
  /** How the server calls itself. */
  readonly server: string;
  readonly tools: readonly ToolPlan[];
  readonly prompts: readonly PromptPlan[];
  readonly templates: readonly TemplatePlan[];
  /** Tools without a method, and why. */
  readonly refused: readonly Refusal[];
}

/** One tool. */
export interface ToolPlan {
  readonly entry: ToolEntry;
  /** Name of its method. */
  readonly member: string;
  /** Beginning of its types' names. */
  readonly type: string;
  /** Name of its file, without ending. */
  readonly file: string;
  readonly input: SafeDocument;
  readonly output?: SafeDocument;
  readonly losses: readonly SchemaLoss[];
}

/** One prompt. */
export interface PromptPlan {
  readonly entry: PromptEntry;
  readonly member: string;
  readonly type: string;
}

/** One resource template. */
export interface TemplatePlan {
  readonly entry: ResourceTemplateEntry;
  readonly member: string;
  readonly type: string;
  readonly variables: readonly TemplateVariable[];
}

/** A variable of a URI template. */
export interface TemplateVariable {
  readonly name: string;
  /** `{name*}` */
  readonly isList: boolean;
  /** It belongs to a query or to parameters, which may be left out. */
  readonly isOptional: boolean;
}

/** Something that cannot be part of a client. */
export interface Refusal {
  readonly name: string;
  readonly reason: string;
}

/** Finds the variables of a URI template; throws when it is none. */
export type ReadVariables = (template: string) => readonly TemplateVariable[];

/** Options for the plan of a client. */
export interface PlanOptions {
  /** Name of the server, in any spelling. */
  readonly name: string;
  readonly readVariables: ReadVariables;
  /** The patterns that the client checks. Default: those that a backtracking engine matches in linear time. */
  readonly acceptPattern?: AcceptPattern;
}

/** Plans the client of a server. */
export function planClient(contract: Contract, { name, readVariables, acceptPattern }: PlanOptions): ClientPlan {
  const type = toTypeName(name);
  const refused: Refusal[] = [];
  const names = createNames(type);
  const tools = unrepeated(contract.tools, (entry) => entry.name, refused).flatMap((entry) =>
    attempt(entry.name, refused, () => planTool(entry, names, acceptPattern === undefined ? {} : { acceptPattern })),
  );
  const prompts = unrepeated(contract.prompts, (entry) => entry.name, refused).map((entry): PromptPlan => {
    return { entry, member: names.prompt(entry.name), type: names.type(`${toTypeName(entry.name)}Prompt`) };
  });
  const templates = contract.resourceTemplates.flatMap((entry) =>
    attempt(entry.name, refused, (): TemplatePlan => {
      const variables = readVariables(entry.uriTemplate);
      return {
        entry,
        member: names.template(entry.name),
        type: names.type(`${toTypeName(entry.name)}Variables`),
        variables,
      };
    }),
  );
  return { type, server: contract.server.name, tools, prompts, templates, refused };
}

/** The schema of a tool's arguments says at least that they are an object. */
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
  // What is always imported or declared next to the types of a tool.
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
      // Types of a tool are made of this name and an ending; it must not run into that of another.
      const found = uniqueName(wanted, (name) => taken.has(name));
      taken.add(found);
      return found;
    },
  };
}

/** Each name once; two that differ in writing only get numbers. */
function createNamer(convert: (name: string) => string, taken: Set<string>): (name: string) => string {
  return (name) => {
    const found = uniqueName(convert(name), (one) => taken.has(one.toLowerCase()));
    taken.add(found.toLowerCase());
    return found;
  };
}

/** Members that every object has, words that would be a syntax error as names of constants, and `then`, by which a client would be taken for a promise. */
const inherited = [
  ...Object.getOwnPropertyNames(Object.prototype),
  "then",
  ...words(`arguments await break case catch class const continue debugger default delete do else enum eval export extends false
    finally for function if implements import in instanceof interface let new null package private protected public return static
    super switch this throw true try typeof undefined var void while with yield`),
  // What the files of a client import and declare themselves.
  ...words(`all any anything check items later members nothing numeric one text tool types values args callTool createMockSession
    getPrompt mock options parseUriTemplate readResource session variables`),
].map((name) => name.toLowerCase());

function words(text: string): string[] {
  return text.split(/\s+/);
}

function unrepeated<Entry>(list: readonly Entry[], nameOf: (entry: Entry) => string, refused: Refusal[]): Entry[] {
  const seen = new Set<string>();
  return list.filter((entry) => {
    const name = nameOf(entry);
    if (seen.has(name)) refused.push({ name, reason: "another one of the same name comes first" });
    const isFirst = !seen.has(name);
    seen.add(name);
    return isFirst;
  });
}

/** Says why something is left out: a reason of its own, or a fault that its schema has led to. */
export function refusalText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const isOwn = error instanceof SchemaRefusal || text.startsWith("URI template");
  return isOwn ? text : `it cannot be written (${text})`;
}

/** One tool that cannot be used must not take all others with it. */
function attempt<Plan>(name: string, refused: Refusal[], plan: () => Plan): Plan[] {
  try {
    return [plan()];
  } catch (error) {
    refused.push({ name, reason: refusalText(error) });
    return [];
  }
}
