import { formatTypeScript } from "../../internal/format.ts";
import type { Templates } from "../../internal/templates.ts";
import type { Tree } from "../../internal/tree.ts";
import { schemaSamples } from "../create/example-tools.ts";
import type { SchemaLibrary, Selection } from "../create/project-choices.ts";
import type { ProviderName, ProviderSetting } from "./provider.ts";
import { findProvider, settingsOf } from "./providers.ts";

const authTemplate = "auth/provider/auth.ts";
const settingsTemplate = "auth/provider/settings.ts";
const accessTemplate = "auth/provider/access.ts";
const issuerTemplates = { jwt: "auth/provider/issuer.ts", opaque: "auth/provider/opaque-issuer.ts" } as const;

/** Templates of the files of presets. */
export const providerTemplates: readonly string[] = [
  authTemplate,
  settingsTemplate,
  accessTemplate,
  ...Object.values(issuerTemplates),
];

/** Choices the files of a preset depend on. */
export interface ProviderFilesOptions extends Pick<Selection, "transport" | "scale" | "schema"> {
  readonly provider: ProviderName;
  /** URL of the server on this machine. */
  readonly url: string;
  /** Module with the settings. `src/settings.ts` may have the settings of an HTTP API. */
  readonly settingsModule: string;
  /** Place of the environment variables, for messages. Absent for programs. */
  readonly place?: string | undefined;
}

/** Returns the name of the module with the settings of a preset, in `src/`. */
export function settingsModuleOf(callsApi: boolean): string {
  return callsApi ? "auth-settings.ts" : "settings.ts";
}

/** Emits the module that authenticates clients, its settings, and an issuer with tokens of this form for tests, by path. */
export async function emitProviderFiles(
  { provider, transport, scale, schema, url, settingsModule, place = "" }: ProviderFilesOptions,
  templates: Templates,
): Promise<Tree> {
  const { facts, code, tokens } = findProvider(provider);
  const isOpaque = provider === "google";
  const required = { ...code.required, RESOURCE: "RESOURCE" };
  const view = {
    title: facts.title,
    stdio: transport === "both",
    worker: transport === "worker",
    scaled: scale !== "none",
    opaque: isOpaque,
    url,
    settingsModule,
    place,
    // Tokens of some servers name the client or the scopes, and not the resource.
    resource: tokens.claims.some((text) => /\bresource\b/.test(text)) ? "resource" : "_resource",
    names: settingsOf(provider).map(({ name }) => name),
    issuer: code.issuer,
    path: code.path,
    required: Object.entries(required).map(([name, value]) =>
      name === value ? name : `${JSON.stringify(name)}: ${value}`,
    ),
    options: code.options,
    settings: settingsSchema(settingsOf(provider), schema),
    imports: schemaSamples[schema].imports,
    json: schema === "json",
    header: tokens.header,
    claims: tokens.claims,
    metadata: tokens.metadata,
    keys: tokens.keys,
    environment: tokens.environment,
    insufficient: tokens.insufficient,
    rejected: Object.entries(tokens.rejected).map(([name, claims]) => ({ name, claims })),
  };
  const files = {
    "src/auth.ts": authTemplate,
    [`src/${settingsModule}`]: settingsTemplate,
    "test/access.ts": accessTemplate,
    "test/issuer.ts": isOpaque ? issuerTemplates.opaque : issuerTemplates.jwt,
  };
  const texts = Object.entries(files).map(
    async ([path, template]) => [path, await formatTypeScript(templates.render(template, view))] as const,
  );
  return new Map(await Promise.all(texts));
}

/** Returns the expression of a schema of optional settings. */
function settingsSchema(settings: readonly ProviderSetting[], library: SchemaLibrary): string {
  const lines = settings.map((setting) => `${toProperty(setting, library)},`).join("\n");
  switch (library) {
    case "zod":
      return `z.object({\n${lines}\n})`;
    case "valibot":
      return `toStandardJsonSchema(v.object({\n${lines}\n}))`;
    case "arktype":
      return `type({\n${lines}\n})`;
    case "json":
      return `fromJsonSchema({ type: "object", properties: {\n${lines}\n} }, { validate: createCfworkerValidator() })`;
    default:
      return library satisfies never;
  }
}

function toProperty({ name, description, kind }: ProviderSetting, library: SchemaLibrary): string {
  const text = JSON.stringify(description);
  const isList = kind === "list";
  switch (library) {
    case "zod":
      return `${name}: ${isList ? "z.array(z.string())" : "z.string()"}.optional().describe(${text})`;
    case "valibot": {
      const schema = isList ? "v.array(v.string())" : "v.string()";
      return `${name}: v.optional(v.pipe(${schema}, v.description(${text})))`;
    }
    case "arktype":
      return `"${name}?": type("${isList ? "string[]" : "string"}").describe(${text})`;
    case "json":
      return `${name}: { ${isList ? 'type: "array", items: { type: "string" }' : 'type: "string"'}, description: ${text} }`;
    default:
      return library satisfies never;
  }
}
