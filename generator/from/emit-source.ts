import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { ToolPlan } from "../client/plan.ts";
import { docText } from "../emit/doc-text.ts";
import { formatTypeScript } from "../emit/format.ts";
import { loadTemplates } from "../emit/templates.ts";
import type { Tree } from "../emit/tree.ts";
import { uniqueName } from "../tool-schema/names.ts";
import { isRecord } from "../tool-schema/reading.ts";
import { escapeUnseen } from "../tool-schema/safe-text.ts";
import { emitType } from "../tool-schema/type-text.ts";
import { emitStubs } from "./emit-stubs.ts";
import { bodyArgument, isPassword, type Credential, type Operation, type Parameter } from "./operation.ts";
import type { ProjectSource } from "./source.ts";
import type { StubKinds } from "./stub-kinds.ts";
import { promptCase, testCases } from "./test-cases.ts";

/** What the files depend on. */
export interface EmitSourceOptions {
  /** Package name of the project. */
  readonly name: string;
  /** Members that a tool may have in the project's newest revision. */
  readonly toolMembers: ReadonlySet<string>;
  /** Whether results can have audio in them. */
  readonly hasAudio: boolean;
  /** What becomes part of the project besides tools. */
  readonly stubs: StubKinds;
  /** Module of the protocol layer, as files in `src/` import it. */
  readonly layer: string;
  /** Folder of this package, with `templates/`. */
  readonly packageFolder: string;
  /** Ends the work, which may be long. */
  readonly signal?: AbortSignal;
}

/** The files of a project that come from its source, by path, formatted. */
export async function emitSource(source: ProjectSource, options: EmitSourceOptions): Promise<Tree> {
  const { api, plan } = source;
  const main = api ? "from/api.ts" : "from/todo.ts";
  const names = [main, "from/server.test.ts"];
  const templates = loadTemplates(join(options.packageFolder, "templates"), names);
  const tools = plan.tools.map((tool) => ({ tool, variable: variableOf(tool) }));
  const written: (readonly [string, string])[] = [
    [`src/${api ? "api" : "todo"}.ts`, templates.render(main, apiView(source, options))],
    ["src/tools.ts", toolsText(tools)],
    ["test/server.test.ts", templates.render("from/server.test.ts", testView(source, options))],
    ...emitStubs(source, options.stubs, options.layer),
  ];
  for (const { tool, variable } of tools) {
    // A signal is heard between turns only.
    await setImmediate();
    options.signal?.throwIfAborted();
    const operation = api?.operations.find(({ name }) => name === tool.entry.name);
    written.push([`src/tools/${tool.file}.ts`, await toolText(tool, { variable, operation, ...options })]);
  }
  const tree = new Map<string, string>();
  for (const [path, text] of written) tree.set(path, await formatTypeScript(escapeUnseen(text)));
  return tree;
}

/** A tool may be called as something that its file imports. */
function variableOf({ member }: ToolPlan): string {
  return uniqueName(`${member}Tool`, (name) => name === "defineTool");
}

interface NamedTool {
  readonly tool: ToolPlan;
  readonly variable: string;
}

function toolsText(tools: readonly NamedTool[]): string {
  const imports = tools.map(({ tool, variable }) => `import { ${variable} } from "./tools/${tool.file}.ts";`);
  const list = `export const tools = [${tools.map(({ variable }) => variable).join(", ")}] as const;`;
  return [...imports, "", "/** Everything that the server offers. */", list].join("\n");
}

function apiView({ api, origin }: ProjectSource, { layer, hasAudio }: EmitSourceOptions): object {
  const credentials = api?.credentials ?? [];
  const isIn = (place: Credential["place"]): boolean => credentials.some((one) => one.place === place);
  return {
    layer,
    origin,
    address: JSON.stringify(api?.address ?? ""),
    credentials: credentials.length > 0 && credentialsText(credentials),
    hasPassword: credentials.some(isPassword),
    inHeader: isIn("header"),
    inQuery: isIn("query"),
    inCookie: isIn("cookie"),
    sendsCookies: isIn("cookie") || hasOperation(api, ({ parameters }) => parameters.some(isCookie)),
    sendsForms: hasOperation(api, ({ body }) => body?.type === multipart),
    sendsTypes: hasOperation(api, ({ body }) => Object.keys(body?.types ?? {}).length > 0),
    sendsDeep: hasOperation(api, sendsDeep),
    writesDeep: hasOperation(api, writesDeep),
    writesNamed: hasOperation(api, ({ parameters }) => parameters.some(({ style }) => style === "named")),
    sendsFiles: hasOperation(api, ({ body }) => body?.isFile === true),
    answersFile: hasOperation(api, (operation) => functionOf(operation, false) === "readFile"),
    hasAudio,
    hasAddresses: hasOperation(api, ({ address }) => address !== undefined),
    sendsBytes: hasOperation(api, ({ body }) => body?.type === multipart || body?.isFile === true),
  };
}

function credentialsText(credentials: readonly Credential[]): string {
  const rows = credentials.map(
    ({ variable, place, name, prefix }) => `${variable}: ${JSON.stringify({ place, name, prefix })}`,
  );
  return `{ ${rows.join(", ")} }`;
}

function hasOperation(api: ProjectSource["api"], test: (operation: Operation) => boolean): boolean {
  return api?.operations.some(test) ?? false;
}

function sendsDeep({ body }: Operation): boolean {
  return body !== undefined && body.deep.length > 0;
}

function writesDeep(operation: Operation): boolean {
  return operation.parameters.some(({ style }) => style === "deep") || sendsDeep(operation);
}

function isCookie({ place }: Operation["parameters"][number]): boolean {
  return place === "cookie";
}

const multipart = "multipart/form-data";

function testView({ plan, api, contract }: ProjectSource, { name, toolMembers, stubs }: EmitSourceOptions): object {
  return {
    name,
    isApi: api !== undefined,
    tools: JSON.stringify(plan.tools.map(({ entry }) => entry.name)),
    calls: JSON.stringify(testCases(plan.tools, api, toolMembers.has("outputSchema"))),
    prompts: stubs.prompts && JSON.stringify(contract.prompts.map(promptCase)),
    resources: stubs.resources && JSON.stringify(contract.resources.map(({ uri }) => uri)),
    templates: stubs.templates && JSON.stringify(contract.resourceTemplates.map(({ uriTemplate }) => uriTemplate)),
  };
}

interface ToolOptions extends EmitSourceOptions {
  readonly variable: string;
  readonly operation: Operation | undefined;
}

/** The file of a tool: types of its arguments and its result, and the tool. */
async function toolText(tool: ToolPlan, options: ToolOptions): Promise<string> {
  const { entry, type, input, output } = tool;
  const { toolMembers, variable, operation, layer } = options;
  const hasInput = input.root.properties.size > 0 || input.root.additional !== false;
  const hasOutput = output !== undefined && isObjectSchema(entry.outputSchema) && toolMembers.has("outputSchema");
  const types = [
    ...(hasInput ? [await emitType(input, { name: `${type}Arguments`, prefix: `${type}Argument` })] : []),
    ...(hasOutput ? [await emitType(output, { name: `${type}Result`, prefix: `${type}Result` })] : []),
  ];
  const members = [
    `name: ${JSON.stringify(entry.name)}`,
    ...textMember(tool, "title", toolMembers),
    ...textMember(tool, "description", toolMembers),
    ...(entry.annotations && toolMembers.has("annotations")
      ? [`annotations: ${annotationsText(entry.annotations)}`]
      : []),
    ...(hasInput ? [`input: ${schemaText(entry.inputSchema, `${type}Arguments`)}`] : []),
    ...(hasOutput ? [`output: ${schemaText(entry.outputSchema, `${type}Result`)}`] : []),
    runText(entry.name, { operation, hasInput, result: hasOutput ? `${type}Result` : undefined }),
  ];
  const needsSchema = hasInput || hasOutput;
  const own = [...helpersOf(operation, hasOutput), ...(needsSchema ? ["validate"] : [])];
  const place = operation ? `${operation.method} ${operation.path}` : `Tool ${entry.name}: still to be written.`;
  return [
    `import { ${own.join(", ")} } from "../${operation ? "api" : "todo"}.ts";\n` +
      `import { ${["defineTool", ...(needsSchema ? ["fromJsonSchema"] : [])].join(", ")} } from "../${layer}";`,
    ...types,
    `${docText({ text: place })}export const ${variable} = defineTool({ ${members.join(", ")} });`,
  ].join("\n\n");
}

/** What the file of a tool takes from the one that they share. */
function helpersOf(operation: Operation | undefined, hasOutput: boolean): string[] {
  if (!operation) return ["todo"];
  const own = operation.parameters.map(writerOf);
  const writers = ["toList", "toJson", "toDeep", "toNamed"].filter((writer) => own.includes(writer));
  return [functionOf(operation, hasOutput), ...writers];
}

/** The function that asks the API: what it gives is what the tool gives. */
function functionOf({ answersFile, output }: Operation, hasOutput: boolean): "callApi" | "readApi" | "readFile" {
  if (hasOutput) return "callApi";
  return answersFile && !output ? "readFile" : "readApi";
}

/** The function that writes several values. What a query repeats, and what stands elsewhere with commas, needs none. */
function writerOf({ place, style }: Parameter): string {
  return style === "comma" && place !== "query" ? "" : writers[style];
}

const writers: Readonly<Record<Parameter["style"], string>> = {
  repeat: "",
  comma: "toList",
  pipe: "toList",
  space: "toList",
  deep: "toDeep",
  json: "toJson",
  named: "toNamed",
};

const separators: Partial<Record<Parameter["style"], string>> = { comma: ",", pipe: "|", space: " " };

function textMember({ entry }: ToolPlan, key: "title" | "description", known: ReadonlySet<string>): string[] {
  const text = entry[key];
  return text === undefined || !known.has(key) ? [] : [`${key}: ${JSON.stringify(text)}`];
}

/** Hints are booleans, and a title; whatever else a stranger writes there is left out. */
function annotationsText(annotations: Readonly<Record<string, unknown>>): string {
  const hints = ["destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"];
  const known = hints.filter((name) => typeof annotations[name] === "boolean");
  return `{ ${known.map((name) => `${name}: ${String(annotations[name])}`).join(", ")} }`;
}

/** The schema as it is advertised and enforced. Its root is an object, because arguments and results are. */
function schemaText(schema: unknown, type: string): string {
  const own = isObjectSchema(schema) ? schema : { type: "object", ...(isRecord(schema) && !schema.type && schema) };
  return `fromJsonSchema<${type}>(${JSON.stringify(own)}, { validate })`;
}

function isObjectSchema(schema: unknown): schema is Record<string, unknown> {
  return isRecord(schema) && schema.type === "object";
}

interface RunView {
  readonly operation: Operation | undefined;
  readonly hasInput: boolean;
  readonly result: string | undefined;
}

function runText(name: string, { operation, hasInput, result }: RunView): string {
  if (!operation) return `run: () => todo(${JSON.stringify(name)})`;
  const call = `${functionOf(operation, result !== undefined)}${result === undefined ? "" : `<${result}>`}`;
  const members = [
    `method: ${JSON.stringify(operation.method)}`,
    `path: ${JSON.stringify(operation.path)}`,
    ...(["path", "query", "header", "cookie"] as const).flatMap((place) => placeText(operation, place)),
    ...bodyText(operation),
    ...(operation.address === undefined ? [] : [`address: ${JSON.stringify(operation.address)}`]),
    ...(operation.access.length > 0 ? [`access: ${JSON.stringify(operation.access)}`] : []),
    "signal",
  ];
  return `run: (${hasInput ? "args" : "_args"}, { signal }) => ${call}({ ${members.join(", ")} })`;
}

function bodyText({ body }: Operation): string[] {
  if (!body) return [];
  const files = Object.keys(body.files).length > 0 ? [`files: ${JSON.stringify(body.files)}`] : [];
  const whole = body.isFile ? ["isFile: true"] : [];
  const types = Object.keys(body.types).length > 0 ? [`types: ${JSON.stringify(body.types)}`] : [];
  const deep = body.deep.length > 0 ? [`deep: ${JSON.stringify(body.deep)}`] : [];
  const value = accessText(bodyArgument);
  const parts = [`type: ${JSON.stringify(body.type)}`, `value: ${value}`, ...files, ...types, ...whole, ...deep];
  return [`body: { ${parts.join(", ")} }`];
}

const members = { path: "parameters", query: "query", header: "headers", cookie: "cookies" } as const;

function placeText({ parameters }: Operation, place: keyof typeof members): string[] {
  const own = parameters.filter((parameter) => parameter.place === place);
  if (own.length === 0) return [];
  return [`${members[place]}: { ${own.map(parameterText).join(", ")} }`];
}

function parameterText(parameter: Parameter): string {
  const { name, argument, style } = parameter;
  const key = JSON.stringify(name);
  const value = accessText(argument);
  const writer = writerOf(parameter);
  if (writer === "") return `${key}: ${value}`;
  if (style === "deep") return `...${writer}(${key}, ${value})`;
  const separator = separators[style];
  return `${key}: ${writer}(${value}${separator === undefined ? "" : `, ${JSON.stringify(separator)}`})`;
}

function accessText(argument: string): string {
  return /^[A-Za-z_]\w*$/.test(argument) ? `args.${argument}` : `args[${JSON.stringify(argument)}]`;
}
