import type { Templates } from "../../internal/templates.ts";
import type { Tree } from "../../internal/tree.ts";
import { quoteForShell } from "../../internal/text.ts";
import type { Protection } from "../layer/choices.ts";
import { requiredSettings, settingsOf } from "../providers/providers.ts";
import type { Selection } from "./project-choices.ts";
import { requestMetadata } from "./request-metadata.ts";

/** Packages of a protected project, with the tested versions. */
export const accessDependencies: { readonly [Name in Protection]: { readonly [name: string]: string } } = {
  none: {},
  oauth: { jose: "^6.2.17" },
  "api-key": {},
};

/** Returns the environment variables that a protected project needs when it is open to other machines. */
export function accessVariables({ auth, provider }: Pick<Selection, "auth" | "provider">): readonly string[] {
  return provider ? requiredSettings(provider) : variables[auth];
}

const variables: { readonly [Name in Protection]: readonly string[] } = {
  none: [],
  oauth: ["ISSUER", "RESOURCE"],
  "api-key": ["API_KEYS"],
};

/** Parameter of a deployment, for an environment variable. */
export interface DeployParameter {
  readonly variable: string;
  /** Name without other characters than letters and digits. */
  readonly parameter: string;
  /** Description in quotation marks. */
  readonly description: string;
  readonly isSecret: boolean;
  /** True if the server may do without it: an empty value counts as missing. */
  readonly isOptional: boolean;
}

/** Returns the parameters with which a protected project is deployed. */
export function accessParameters(selection: Pick<Selection, "auth" | "provider">): readonly DeployParameter[] {
  const own = selection.provider ? settingsOf(selection.provider) : [];
  const required = accessVariables(selection);
  const optional = own.map(({ name }) => name).filter((name) => !required.includes(name));
  return [...required, ...optional].map((variable) => ({
    variable,
    parameter: variable.replace(
      /([A-Z])([A-Z\d]*)_?/g,
      (_word, first: string, rest: string) => first + rest.toLowerCase(),
    ),
    description: JSON.stringify(own.find(({ name }) => name === variable)?.description ?? descriptions[variable] ?? ""),
    isSecret: variable === "API_KEYS",
    isOptional: optional.includes(variable),
  }));
}

const descriptions: { readonly [variable: string]: string } = {
  ISSUER: "Exact issuer identifier of the authorization server",
  RESOURCE: "URL that clients use for this server",
  API_KEYS: "Comma-separated names and SHA-256 hashes of the keys",
};

/** Files of a protected project: templates by path. */
const files: { readonly [Name in Protection]: { readonly [path: string]: string } } = {
  none: {},
  oauth: {
    "src/auth.ts": "auth/oauth/auth.ts",
    "test/access.ts": "auth/oauth/access.ts",
    "test/token.ts": "auth/oauth/token.ts",
    "test/access.test.ts": "auth/access.test.ts",
  },
  "api-key": {
    "src/auth.ts": "auth/api-key/auth.ts",
    "test/access.ts": "auth/api-key/access.ts",
    "test/key.ts": "auth/api-key/key.ts",
    "test/access.test.ts": "auth/access.test.ts",
  },
};

/** Templates of all files of protected projects. */
export const accessTemplates: readonly string[] = [
  ...new Set(Object.values(files).flatMap((byPath) => Object.values(byPath))),
];

/** Place where a server runs. */
interface AccessPlace {
  /** Address during development. */
  readonly url: string;
  /** Place of the environment variables, for messages. Default: empty, for programs. */
  readonly settings?: string | undefined;
}

/** Emits the module that authenticates clients, and its tests, by path. */
export function emitAccess(
  {
    auth,
    provider,
    transport,
    scale,
    url,
    settings = "",
  }: Pick<Selection, "auth" | "provider" | "transport" | "scale"> & AccessPlace,
  templates: Templates,
): Tree {
  const facts = { oauth: auth === "oauth", stdio: transport === "both", worker: transport === "worker", url, settings };
  const view = { ...facts, provider: provider !== undefined, scaled: scale !== "none" };
  const entries = Object.entries(files[auth]);
  return new Map(entries.map(([path, template]) => [path, `${templates.render(template, view).trim()}\n`]));
}

/** Remaining arguments of a curl command with the first request of a client: `initialize` where there are sessions, otherwise `server/discover`. */
export function curlArguments(revisions: readonly string[], stateless: readonly string[]): string {
  const session = revisions.find((id) => !stateless.includes(id));
  const revision = session ?? revisions[0] ?? "";
  const isStateless = session === undefined;
  const method = isStateless ? "server/discover" : "initialize";
  const clientInfo = { name: "curl", version: "1" };
  const params = isStateless
    ? { _meta: requestMetadata(revision) }
    : { protocolVersion: revision, capabilities: {}, clientInfo };
  const headers = [
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    ...(isStateless ? [`MCP-Protocol-Version: ${revision}`, `Mcp-Method: ${method}`] : []),
  ];
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return [...headers.map((header) => `-H "${header}"`), `-d ${quoteForShell(body)}`].join(" \\\n  ");
}
