import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { rejectionText, type ToolPlan } from "../typed-client/client/plan.ts";
import { formatTypeScript } from "../internal/format.ts";
import { loadTemplates } from "../internal/templates.ts";
import type { Tree } from "../internal/tree.ts";
import { uniqueName } from "../internal/unique-name.ts";
import { isRecord } from "../internal/json-text.ts";
import { commentText, escapeUnseen, harmless, outputLine } from "../internal/text.ts";
import { emitType } from "../typed-client/tool-schema/type-text.ts";
import { emitStubs } from "./emit-stubs.ts";
import type { StubKinds } from "./stub-kinds.ts";
import { functionOf, helpersOf, runText } from "./emit-call.ts";
import { addressVariable, settingsOf } from "./api-settings.ts";
import { isPassword, type Api, type Credential, type Operation } from "./operation.ts";
import type { ProjectSource } from "./source.ts";
import { promptCase, testCases } from "./test-cases.ts";

/** Place of the files of a source in a project. */
export interface SourcePlace {
  /** Folder, with forward slashes: `src` for the document a project was created from, otherwise like `src/shop`. */
  readonly folder: string;
  /** Path of the test. */
  readonly test: string;
}

/** Place of the files of the document a project was created from. */
export const mainPlace: SourcePlace = { folder: "src", test: "test/server.test.ts" };

/** Options of the emitted files of a source. */
export interface EmitSourceOptions {
  /** Package name of the project. */
  readonly name: string;
  /** Possible members of a tool in the project's newest revision. */
  readonly toolMembers: ReadonlySet<string>;
  /** True if results can contain audio. */
  readonly hasAudio: boolean;
  /** Kinds of definitions in the project besides tools. */
  readonly stubs: StubKinds;
  /** Module of the protocol layer, as files in `src/` import it. */
  readonly layer: string;
  /** Folder of this package, with `templates/`. */
  readonly packageFolder: string;
  /** Place of the files. Default: `mainPlace`. */
  readonly place?: SourcePlace;
  /** Aborts the work, which may take long. */
  readonly signal?: AbortSignal;
}

/** Files of a project that depend on its source. */
export interface EmittedSource {
  /** The source with only the tools whose files were written. */
  readonly source: ProjectSource;
  /** Formatted files, by path. */
  readonly tree: Tree;
}

/** Emits the files of a project that depend on its source. */
export async function emitSource(whole: ProjectSource, options: EmitSourceOptions): Promise<EmittedSource> {
  const { source, files } = await emitTools(whole, options);
  const { api, plan } = source;
  const { folder, test } = options.place ?? mainPlace;
  const main = api ? "from/api.ts" : "from/todo.ts";
  const names = [main, "from/settings.ts", "from/server.test.ts"];
  const templates = loadTemplates(join(options.packageFolder, "templates"), names);
  const tools = plan.tools.map((tool) => ({ tool, variable: variableOf(tool) }));
  const written: (readonly [string, string])[] = [
    [`${folder}/${api ? "api" : "todo"}.ts`, templates.render(main, apiView(source, options))],
    ...(api
      ? [[`${folder}/settings.ts`, templates.render("from/settings.ts", settingsView(api, options))] as const]
      : []),
    [`${folder}/tools.ts`, toolsText(tools)],
    [test, templates.render("from/server.test.ts", testView(source, options))],
    ...emitStubs(source, options.stubs, options.layer),
    ...files,
  ];
  const tree = new Map<string, string>();
  for (const [path, text] of written) tree.set(path, await formatTypeScript(escapeUnseen(text), { collapses: true }));
  return { source, tree };
}

/** Writes the file of each tool. If one cannot be written, it is reported and left out; the others stay. */
async function emitTools(source: ProjectSource, options: EmitSourceOptions) {
  const { place = mainPlace } = options;
  const tools: ToolPlan[] = [];
  const files: (readonly [string, string])[] = [];
  for (const tool of source.plan.tools) {
    // An abort is noticed only between turns of the event loop.
    await setImmediate();
    options.signal?.throwIfAborted();
    const operation = source.api?.operations.find(({ name }) => name === tool.entry.name);
    try {
      const text = await toolText(tool, { variable: variableOf(tool), operation, ...options });
      files.push([toolPath(place, tool), text]);
      tools.push(tool);
    } catch (error) {
      console.error(`left out   tool "${outputLine(tool.entry.name, 80)}": ${outputLine(rejectionText(error))}`);
    }
  }
  return { source: { ...source, plan: { ...source.plan, tools } }, files };
}

/** Path of the file of a tool. */
export function toolPath({ folder }: SourcePlace, { file }: ToolPlan): string {
  return `${folder}/tools/${file}.ts`;
}

/** Returns the name of a tool's constant. It must differ from the imported names in its file. */
function variableOf({ member }: ToolPlan): string {
  return uniqueName(`${member}Tool`, (name) => name === "defineTool");
}

function toolsText(tools: readonly { readonly tool: ToolPlan; readonly variable: string }[]): string {
  const imports = tools.map(({ tool, variable }) => `import { ${variable} } from "./tools/${tool.file}.ts";`);
  const list = `export const tools = [${tools.map(({ variable }) => variable).join(", ")}] as const;`;
  return [...imports, "", "/** Everything that the server offers. */", list].join("\n");
}

function apiView({ api, plan, origin, output, needsRe2 }: ProjectSource, options: EmitSourceOptions): object {
  const { hasAudio, toolMembers } = options;
  const credentials = api?.credentials ?? [];
  const hasOutput = toolMembers.has("outputSchema") && plan.tools.some((tool) => tool.output !== undefined);
  const isIn = (place: Credential["place"]): boolean => credentials.some((one) => one.place === place);
  return {
    layer: layerOf(options),
    re2js: needsRe2,
    origin,
    addressVariable: api && addressVariable(api),
    tokenVariable: api && `${api.variables}_TOKEN`,
    secrets: credentials.map(({ variable }) => `settings.${variable}`).join(", "),
    credentials: credentials.length > 0 && credentialsText(credentials),
    hasPassword: credentials.some(isPassword),
    inHeader: isIn("header"),
    inQuery: isIn("query"),
    inCookie: isIn("cookie"),
    sendsCookies: isIn("cookie") || hasOperation(api, ({ parameters }) => parameters.some(isCookie)),
    sendsForms: hasOperation(api, ({ body }) => body?.type === multipart),
    sendsTypes: hasOperation(api, ({ body }) => Object.keys(body?.types ?? {}).length > 0),
    sendsDeep: hasOperation(api, sendsDeep),
    keepsReserved: hasOperation(api, keepsReserved),
    sendsStyles: hasOperation(api, ({ body }) => body?.styles !== undefined),
    writesDeep: hasOperation(api, (one) => sendsDeep(one) || one.parameters.some(({ style }) => style === "deep")),
    writesNamed: hasOperation(api, ({ parameters }) => parameters.some(({ style }) => style === "named")),
    sendsFiles: hasOperation(api, ({ body }) => body?.isFile === true),
    hasOutput,
    isStrict: output === "strict",
    hasOthers: hasOutput && hasOperation(api, ({ others }) => others !== undefined),
    returnsFile: hasOperation(api, (operation) => functionOf(operation, false) === "readFile"),
    hasAudio,
    hasAddresses: hasOperation(api, ({ address }) => address !== undefined),
    sendsBytes: hasOperation(api, ({ body }) => body?.type === multipart || body?.isFile === true),
  };
}

/** Module of the protocol layer, as files in the folder of a source import it, or files some levels below. */
function layerOf({ layer, place = mainPlace }: EmitSourceOptions, below = 0): string {
  const levels = place.folder.split("/").length - 1 + below;
  return `${levels === 0 ? "./" : "../".repeat(levels)}${layer}`;
}

function settingsView(api: Api, options: EmitSourceOptions): object {
  const settings = settingsOf(api);
  const properties = settings.map((setting): [string, object] => {
    const { name, description, isSecret, pattern } = setting;
    const shown = { type: "string", description, pattern };
    return [
      name,
      { ...shown, ...(isSecret && { writeOnly: true }), ...("default" in setting && { default: setting.default }) },
    ];
  });
  const schema = { type: "object", properties: Object.fromEntries(properties) };
  return {
    layer: layerOf(options),
    addressVariable: addressVariable(api),
    address: JSON.stringify(api.address ?? ""),
    isUnknown: api.address === undefined,
    settings: settings.map((setting) => ({ ...setting, comment: harmless(setting.description) })),
    schema: JSON.stringify(schema),
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
  return Object.values(body?.styles ?? {}).includes("deep");
}

function keepsReserved({ parameters, body }: Operation): boolean {
  return body?.reserved !== undefined || parameters.some((parameter) => parameter.keepsReserved);
}

function isCookie({ place }: Operation["parameters"][number]): boolean {
  return place === "cookie";
}

const multipart = "multipart/form-data";

function testView({ plan, api, contract }: ProjectSource, options: EmitSourceOptions): object {
  const { name, toolMembers, stubs, place = mainPlace } = options;
  return {
    name,
    isMain: place.folder === mainPlace.folder,
    isApi: api !== undefined,
    addressVariable: api && addressVariable(api),
    tokens: api?.credentials.map(({ variable }) => variable),
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

/** Writes the file of a tool: types of its arguments and its result, and the definition of the tool. */
async function toolText(tool: ToolPlan, options: ToolOptions): Promise<string> {
  const { entry, type, input, output } = tool;
  const { toolMembers, variable, operation } = options;
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
    ...(hasInput ? [`inputSchema: ${schemaText(entry.inputSchema, `${type}Arguments`)}`] : []),
    ...(hasOutput ? [`outputSchema: ${outputText(tool, operation)}`] : []),
    runText(entry.name, { operation, hasInput, result: hasOutput ? `${type}Result` : undefined }),
  ];
  const isCalled = hasOutput && operation !== undefined;
  const needsSchema = hasInput || (hasOutput && !isCalled);
  const own = [
    ...helpersOf(operation, hasOutput),
    ...(needsSchema ? ["validate"] : []),
    ...(isCalled ? ["type ObjectSchema"] : []),
  ];
  const layerNames = ["defineTool", ...(needsSchema ? ["fromJsonSchema"] : [])];
  const place = operation ? `${operation.method} ${operation.path}` : `Tool ${entry.name}: not implemented yet.`;
  return [
    `import { ${own.join(", ")} } from "../${operation ? "api" : "todo"}.ts";\n` +
      `import { ${layerNames.join(", ")} } from "${layerOf(options, 1)}";`,
    ...types,
    ...(isCalled
      ? [`${commentText(responseNote)}const response: ObjectSchema = ${JSON.stringify(entry.outputSchema)};`]
      : []),
    `${commentText(place)}export const ${variable} = defineTool({ ${members.join(", ")} });`,
  ].join("\n\n");
}

function textMember({ entry }: ToolPlan, key: "title" | "description", known: ReadonlySet<string>): string[] {
  const text = entry[key];
  return text === undefined || !known.has(key) ? [] : [`${key}: ${JSON.stringify(text)}`];
}

/** Writes the annotations of a tool. Only boolean hints are kept; all other untrusted values are left out. */
function annotationsText(annotations: Readonly<Record<string, unknown>>): string {
  const hints = ["destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"];
  const known = hints.filter((name) => typeof annotations[name] === "boolean");
  return `{ ${known.map((name) => `${name}: ${String(annotations[name])}`).join(", ")} }`;
}

const responseNote = "Response of the API, as described in its document.";

/** Writes the output schema of a tool. `src/api.ts` decides about responses that deviate from it. */
function outputText({ entry, type }: ToolPlan, operation: Operation | undefined): string {
  return operation ? `toOutput<${type}Result>(response)` : schemaText(entry.outputSchema, `${type}Result`);
}

/** Writes the schema as it is advertised and enforced. Its root is an object, because arguments and results are. */
function schemaText(schema: unknown, type: string): string {
  const own = isObjectSchema(schema) ? schema : { type: "object", ...(isRecord(schema) && !schema.type && schema) };
  return `fromJsonSchema<${type}>(${JSON.stringify(own)}, { validate })`;
}

function isObjectSchema(schema: unknown): schema is Record<string, unknown> {
  return isRecord(schema) && schema.type === "object";
}
