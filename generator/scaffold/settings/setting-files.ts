import { isDeepStrictEqual } from "node:util";
import { isRecord, jsonText, parseJson } from "../../internal/json-text.ts";
import type { ServerSetting } from "./read-settings.ts";
import { envExample, updateEnvExample } from "./env-example.ts";
import { updateReadme } from "./readme-table.ts";

/** Settings listed in the files of a project, and the ones listed before but no longer read by the server. */
export interface SettingChange {
  readonly settings: readonly ServerSetting[];
  readonly removed: readonly string[];
}

/** Editor of a file with settings: returns the new text, or `undefined` for a file it cannot read. */
type Editor = (text: string, change: SettingChange) => string | undefined;

/** Files of a project with settings, by path. */
export const settingFiles: Readonly<Record<string, Editor>> = {
  "README.md": updateReadme,
  "server.json": editJson(editRegistryEntry),
  "manifest.json": editJson(editBundle),
  ".mcp.json": editJson(editHosts("mcpServers", (name) => `\${${name}}`)),
  ".cursor/mcp.json": editJson(editHosts("mcpServers", (name) => `\${env:${name}}`)),
  ".vscode/mcp.json": editJson(editVsCode),
  "plugin/.claude-plugin/plugin.json": editJson(editHosts("mcpServers", (name) => `\${${name}}`, startsPackage)),
  // Claude Desktop has no placeholders: the user writes the values.
  "claude_desktop_config.json": editJson(editHosts("mcpServers", () => "")),
  Dockerfile: editDockerfile,
  [envExample]: updateEnvExample,
};

/** Edits the file at one of these paths, and keeps its line endings. Returns `undefined` for an unreadable file. */
export function editSettingFile(path: string, text: string, change: SettingChange): string | undefined {
  const edit = Object.hasOwn(settingFiles, path) ? settingFiles[path] : undefined;
  const plain = text.replaceAll("\r\n", "\n");
  const edited = edit?.(plain, change);
  if (edited === plain) return text;
  return text.includes("\r\n") ? edited?.replaceAll("\n", "\r\n") : edited;
}

type Json = Record<string, unknown>;

/** Creates an editor of a JSON file. A file whose content stays equal keeps its text. */
function editJson(edit: (value: Json, change: SettingChange) => Json): Editor {
  return (text, change) => {
    const value = parseJson(text);
    if (!isRecord(value)) return undefined;
    const edited = edit({ ...value }, change);
    return isDeepStrictEqual(edited, value) ? text : `${jsonText(edited)}\n`;
  };
}

/** Lists the settings as environment variables of each package of a registry entry. */
function editRegistryEntry(value: Json, { settings, removed }: SettingChange): Json {
  const gone = new Set([...removed, ...settings.map(({ name }) => name)]);
  const packages = listOf(value.packages).map((entry) => {
    if (!isRecord(entry)) return entry;
    const others = listOf(entry.environmentVariables).filter((one) => !isRecord(one) || !gone.has(String(one.name)));
    const { transport, environmentVariables: _old, ...rest } = entry;
    const all = [...others, ...settings.map(toRegistryVariable)];
    return {
      ...rest,
      ...(all.length > 0 && { environmentVariables: all }),
      ...(transport !== undefined && { transport }),
    };
  });
  return packages.length > 0 ? { ...value, packages } : value;
}

function toRegistryVariable(setting: ServerSetting): Json {
  const { name, type, description, isRequired, isSecret, choices } = setting;
  const format = type === "array" ? "string" : type === "integer" ? "number" : type;
  return {
    name,
    ...(description !== undefined && { description }),
    ...(format !== "string" && { format }),
    isRequired,
    isSecret,
    ...(hasPublicDefault(setting) && { default: setting.default }),
    ...(choices && { choices }),
  };
}

/** True if files may show the default of a setting. */
function hasPublicDefault({ isSecret, default: value }: ServerSetting): boolean {
  return !isSecret && value !== undefined && value !== "";
}

/** Lists the settings as user configuration of a bundle, and passes them to its server. */
function editBundle(value: Json, { settings, removed }: SettingChange): Json {
  const server = isRecord(value.server) ? value.server : {};
  const command = isRecord(server.mcp_config) ? server.mcp_config : {};
  const env = merge(
    command.env,
    removed,
    settings.map(({ name }) => [name, `\${user_config.${name}}`]),
  );
  const asked = merge(
    value.user_config,
    removed,
    settings.map((setting) => [setting.name, toUserConfig(setting)]),
  );
  const edited = { ...value, server: { ...server, mcp_config: withMember(command, "env", env) } };
  return withMember(edited, "user_config", asked);
}

/** An optional setting is a text with a default: hosts would pass its placeholder on otherwise. */
function toUserConfig(setting: ServerSetting): Json {
  const { name, type, description = name, isRequired, isSecret } = setting;
  const number =
    setting.default !== undefined && type !== "array" && type !== "string" ? parseJson(setting.default) : undefined;
  return {
    type: typeof number === "number" || typeof number === "boolean" ? typeof number : "string",
    title: name,
    description,
    sensitive: isSecret,
    required: isRequired,
    ...(!isRequired && { default: number ?? (isSecret ? "" : (setting.default ?? "")) }),
  };
}

/**
 * Creates an editor of the servers of a host. It lists required settings: optional ones would become an obligation. Listed optional secrets stay,
 * such as the token of an API.
 */
function editHosts(member: string, valueOf: (name: string) => string, starts = startsProject) {
  return (value: Json, { settings, removed }: SettingChange): Json => {
    const servers = isRecord(value[member]) ? value[member] : {};
    const required = settings.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    const optional = settings.filter(isOptionalValue).map(({ name }) => name);
    const edited = Object.entries(servers).map(([name, server]) => {
      if (!isRecord(server) || !starts(server)) return [name, server];
      const present = isRecord(server.env) ? server.env : {};
      const stale = [...removed, ...optional.filter((one) => present[one] === valueOf(one))];
      const rows = required.map((one) => [one, present[one] ?? valueOf(one)] as const);
      return [name, withMember(server, "env", merge(server.env, stale, rows))];
    });
    return { ...value, [member]: Object.fromEntries(edited) };
  };
}

function isOptionalValue({ isRequired, isSecret }: ServerSetting): boolean {
  return !isRequired && !isSecret;
}

/** True for a host's entry that starts the server of the project. */
function startsProject({ args }: Json): boolean {
  return listOf(args).some((word) => typeof word === "string" && /(?:^|[\\/])dist[\\/]server\.js$/.test(word));
}

/** True for a plugin's entry that starts the published package of the project. */
function startsPackage({ command }: Json): boolean {
  return command === "npx";
}

/** Adds a prompt for each required setting: VS Code asks the user for its value once, and stores it. */
function editVsCode(value: Json, change: SettingChange): Json {
  const edited = editHosts("servers", (name) => `\${input:${name}}`)(value, change);
  const required = change.settings.filter(({ isRequired }) => isRequired);
  const written = change.settings.filter((setting) => setting.isRequired || isOptionalValue(setting));
  const gone = new Set([...change.removed, ...written.map(({ name }) => name)]);
  const others = listOf(value.inputs).filter((input) => !isRecord(input) || !gone.has(String(input.id)));
  const own = required.map(({ name, description = name, isSecret }) => {
    return { type: "promptString", id: name, description, password: isSecret };
  });
  const { inputs: _old, ...rest } = edited;
  return own.length + others.length > 0 ? { inputs: [...others, ...own], ...rest } : rest;
}

/** Lists the names of the settings in a comment before the command of an image. Values are set at run time. */
function editDockerfile(text: string, { settings }: SettingChange): string {
  const names = settings.map(({ name, isRequired }) => (isRequired ? `${name} (required)` : name));
  const line = names.length > 0 ? `${dockerComment} ${names.join(", ")}\n` : "";
  const without = text.replace(new RegExp(`^${dockerComment}.*\\n`, "m"), "");
  return without.replace(/^CMD \[.*\n?(?![^]*^CMD)/m, (command) => `${line}${command}`);
}

const dockerComment = "# Settings, with -e NAME=value:";

/** Returns an object with rows replaced by name, and without the removed names. */
function merge(value: unknown, removed: readonly string[], rows: readonly (readonly [string, unknown])[]): Json {
  const present = Object.entries(isRecord(value) ? value : {}).filter(([name]) => !removed.includes(name));
  return Object.fromEntries([...present, ...rows]);
}

/** Sets a member, or removes it if its object would be empty. */
function withMember(value: Json, name: string, member: Json): Json {
  if (Object.keys(member).length > 0) return { ...value, [name]: member };
  const { [name]: _old, ...rest } = value;
  return rest;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
