import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { formatTypeScript } from "../../internal/format.ts";
import { loadTemplates } from "../../internal/templates.ts";
import { generatedMark, type Tree } from "../../internal/tree.ts";
import { commentText, escapeUnseen, safeLine, safeText } from "../../internal/text.ts";
import { emitTool, toolDoc, typeNames, type ImportEnding, type ToolFile } from "./emit-tool.ts";
import { rejectionText, type ClientPlan, type PromptPlan, type Rejection, type TemplatePlan } from "./plan.ts";
import type { SafeDocument, SafeSchema } from "../tool-schema/safe-schema.ts";

/** Options of the emitted files of a client. */
export interface EmitClientOptions {
  readonly ending: ImportEnding;
  /** Version of this package, for the header of each file. */
  readonly version: string;
  /** Folder of this package, with `templates/` and `runtime/`. */
  readonly packageFolder: string;
}

/** Emitted files of a client, and the plan they implement. */
export interface EmittedClient {
  /** Formatted texts by path. */
  readonly tree: Tree;
  /** The plan with only the tools whose files were written. */
  readonly plan: ClientPlan;
}

/** Writes the files of a client. */
export async function emitClient(whole: ClientPlan, options: EmitClientOptions): Promise<EmittedClient> {
  const { plan, tools } = await emitTools(whole, options);
  const templates = loadTemplates(join(options.packageFolder, "templates"), ["client/index.ts", "client/mock.ts"]);
  const view = clientView(plan, options);
  const written = [
    ["index.ts", templates.render("client/index.ts", view)],
    ["mock.ts", templates.render("client/mock.ts", view)],
    ...tools.map(([path, { text }]) => [path, text] as const),
  ] as const;
  const hasRe2 = tools.some(([, { usesRe2 }]) => usesRe2);
  const tree = new Map<string, string>();
  for (const [path, text] of [...written, ...(await readCopies(plan, { ...options, hasRe2 }))]) {
    tree.set(path, await formatTypeScript(escapeUnseen(`${header(plan, options)}\n\n${text}`)));
  }
  return { tree, plan };
}

/** Writes the files of the tools. If a tool cannot be written, it is left out; the others stay. */
async function emitTools(
  plan: ClientPlan,
  { ending }: EmitClientOptions,
): Promise<{ readonly plan: ClientPlan; readonly tools: readonly (readonly [path: string, file: ToolFile])[] }> {
  const rejected: Rejection[] = [];
  const written = await Promise.all(
    plan.tools.map(async (tool) => {
      try {
        return [{ tool, file: [`tools/${tool.file}.ts`, await emitTool(tool, ending)] as const }];
      } catch (error) {
        rejected.push({ name: tool.entry.name, reason: rejectionText(error) });
        return [];
      }
    }),
  );
  const good = written.flat();
  return {
    plan: { ...plan, tools: good.map(({ tool }) => tool), rejected: [...plan.rejected, ...rejected] },
    tools: good.map(({ file }) => file),
  };
}

/** Reads the files with the same text in every client: TypeScript modules of this package. */
async function readCopies(
  plan: ClientPlan,
  { packageFolder, ending, hasRe2 }: EmitClientOptions & { readonly hasRe2: boolean },
): Promise<[string, string][]> {
  const sources = ["check.ts", "session.ts", "mock-session.ts"].map((name) => [
    name,
    join("templates", "client", name),
  ]);
  const uri = ["uri-template.ts", "uri-expand.ts", "uri-match.ts", "template-parts.ts"].map((name) => [
    name,
    join("runtime", "server", "resources", "uri-template", name),
  ]);
  const re2 = ["re2.ts", "re2-syntax.ts", "pattern-syntax.ts"].map((name) => [name, join("runtime", "adapters", name)]);
  const wanted = [...sources, ...(plan.templates.length > 0 ? uri : []), ...(hasRe2 ? re2 : [])];
  return Promise.all(
    wanted.map(async ([name = "", path = ""]): Promise<[string, string]> => {
      const text = (await readFile(join(packageFolder, path), "utf8")).replaceAll("\r\n", "\n");
      return [name, ending === "ts" ? text : await renameImports(name, text)];
    }),
  );
}

/** Changes the ending of imported files to the ending of compiled ones. The compiler is loaded only here: it takes long. */
async function renameImports(name: string, text: string): Promise<string> {
  const { parseSource, ts } = await import("../../read/syntax.ts");
  const { statements } = parseSource(name, text);
  const ends = statements.flatMap((statement) => {
    const isModule = ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement);
    const specifier = isModule ? statement.moduleSpecifier : undefined;
    return specifier && ts.isStringLiteral(specifier) && specifier.text.endsWith(".ts") ? [specifier.getEnd()] : [];
  });
  return ends.reduceRight((code, end) => `${code.slice(0, end - 'ts"'.length)}js${code.slice(end - 1)}`, text);
}

function header({ server }: ClientPlan, { version }: EmitClientOptions): string {
  const name = safeLine(server, 80);
  return `${generatedMark} ${version}: a client of ${name === "" ? "a server" : JSON.stringify(name)}.\n// Do not edit: run \`npx create-mcp-server client\` again.`;
}

function clientView(plan: ClientPlan, { ending }: EmitClientOptions): object {
  return {
    type: plan.type,
    ending,
    tools: plan.tools.map((tool) => {
      const names = typeNames(tool);
      const isOptional = acceptsNothing(tool.input);
      return {
        member: tool.member,
        file: tool.file,
        name: JSON.stringify(tool.entry.name),
        doc: toolDoc(tool).trimEnd(),
        types: [names.arguments, ...(names.structured === undefined ? [] : [names.structured])].join(", "),
        imports: [names.arguments, ...(names.structured === undefined ? [] : [names.structured])]
          .map((name) => `type ${name}`)
          .join(", "),
        arguments: names.arguments,
        structured: names.structured === undefined ? "" : `<${names.structured}>`,
        mocked: names.structured ?? "unknown",
        mark: isOptional ? "?" : "",
        initial: isOptional ? " = {}" : "",
      };
    }),
    session: sessionNames(plan),
    prompts: plan.prompts.map(promptView),
    templates: plan.templates.map(templateView),
    hasTools: plan.tools.length > 0,
    hasPrompts: plan.prompts.length > 0,
    hasTemplates: plan.templates.length > 0,
  };
}

/** Names imported from `session.ts` by the entry. */
function sessionNames({ tools, prompts, templates }: ClientPlan): string {
  return [
    ...(tools.length > 0 ? ["callTool", "type ToolResult"] : []),
    ...(prompts.length > 0 ? ["getPrompt", "type PromptResult"] : []),
    ...(templates.length > 0 ? ["readResource", "type ResourceResult"] : []),
    "type CallOptions",
    "type Session",
  ].join(", ");
}

function promptView({ entry, member, type }: PromptPlan): object {
  const fields = entry.arguments.map(
    ({ name, description, required }) =>
      `${commentText(safeText(description ?? ""))}readonly ${JSON.stringify(name)}${required ? "" : "?"}: string;`,
  );
  const isOptional = !entry.arguments.some(({ name, required }) => required || isInherited(name));
  return {
    member,
    type,
    name: JSON.stringify(entry.name),
    doc: commentText(safeText(entry.description ?? `Prompt ${entry.name}.`)).trimEnd(),
    declaration: fieldsText(type, fields),
    mark: isOptional ? "?" : "",
    initial: isOptional ? " = {}" : "",
  };
}

function templateView({ entry, member, type, variables }: TemplatePlan): object {
  const fields = variables.map(({ name, isList, isOptional }) => {
    const value = isList ? "readonly (string | number)[]" : "string | number | readonly (string | number)[]";
    return `readonly ${JSON.stringify(name)}${isOptional ? "?" : ""}: ${value};`;
  });
  return {
    member,
    type,
    template: JSON.stringify(entry.uriTemplate),
    doc: commentText(safeText([entry.description ?? "", entry.uriTemplate].filter(Boolean).join("\n\n"))).trimEnd(),
    declaration: fieldsText(type, fields),
  };
}

function fieldsText(type: string, fields: readonly string[]): string {
  if (fields.length === 0) return `export type ${type} = Readonly<Record<string, never>>;`;
  return `export type ${type} = { ${fields.join("\n")} };`;
}

/** True if the type of a schema accepts the empty object. A call may omit its arguments then. */
export function acceptsNothing({ root, definitions }: SafeDocument): boolean {
  const accepts = (schema: SafeSchema, seen: ReadonlySet<string>): boolean => {
    const { required, properties, reference, allOf, anyOf, oneOf } = schema;
    if (required.length > 0 || [...properties.keys()].some(isInherited)) return false;
    const inner = (one: SafeSchema): boolean => accepts(one, seen);
    const isUnion = [anyOf, oneOf].every((list) => list.length === 0 || list.some(inner));
    return isUnion && allOf.every(inner) && (reference === undefined || follows(reference, seen));
  };
  const follows = (reference: string, seen: ReadonlySet<string>): boolean => {
    const target = definitions.get(reference);
    return target !== undefined && !seen.has(reference) && accepts(target, new Set([...seen, reference]));
  };
  return accepts(root, new Set());
}

/** True if every object has a member of this name. The empty object does not fit a type in which this member is something else. */
export function isInherited(name: string): boolean {
  return name in Object.prototype;
}
