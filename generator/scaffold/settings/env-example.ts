import { escapePattern } from "../../internal/text.ts";
import { settingsOf as apiSettingsOf } from "../../openapi/api-settings.ts";
import type { ProjectOptions } from "../create/project-options.ts";
import { settingsOf as providerSettingsOf } from "../providers/providers.ts";
import type { ServerSetting } from "./read-settings.ts";
import { factsOf } from "./readme-table.ts";
import type { SettingChange } from "./setting-files.ts";

/** Example of the file with the environment variables of a server, which git ignores. */
export const envExample = ".env.example";

const begin = "# settings: written by `create-mcp-server settings`";
const end = "# end of settings";
const block = new RegExp(`${escapePattern(begin)}[^]*?${escapePattern(end)}(?:\\n|$)`);

/** Replaces the settings between two comments of the file, or adds them at its end. Other lines stay. */
export function updateEnvExample(text: string, { settings }: SettingChange): string {
  const head = `${begin}\n# Copy this file to .env, which git ignores, and fill it in.\n`;
  const own = settings.length > 0 ? `${head}\n${settings.map(toLines).join("\n")}${end}\n` : "";
  if (block.test(text)) return text.replace(block, () => own);
  if (own === "" || text.trim() === "") return own;
  return `${text.trimEnd()}\n\n${own}`;
}

/** Returns the lines of a setting. One with a default, or without a need for a value, is commented out. */
function toLines(setting: ServerSetting): string {
  const { name, isRequired, isSecret, default: value = "" } = setting;
  const facts = [...factsOf(setting), ...(isRequired ? ["required"] : [])].join("; ").replaceAll(/\s+/g, " ").trim();
  const comment = facts === "" ? "" : `# ${facts}\n`;
  return `${comment}${isRequired ? "" : "# "}${name}=${isSecret ? "" : quote(value)}\n`;
}

/** Returns a value as `node --env-file` reads it; empty if no quotes suit it. */
function quote(value: string): string {
  if (/^[\w./:@,+-]*$/.test(value)) return value;
  const mark = ["'", "`", '"'].find((one) => !value.includes(one));
  return mark === undefined || value.includes("\n") ? "" : `${mark}${value}${mark}`;
}

/** Returns the example file of a new project with settings: the settings of its API, and of its authorization server. */
export function emitEnvExample({ source, selection }: ProjectOptions): readonly (readonly [string, string])[] {
  const { provider, transport } = selection;
  // Platforms have a place of their own for variables.
  if (transport === "worker") return [];
  const ofProvider = (provider ? providerSettingsOf(provider) : []).map(
    ({ name, description, kind }): ServerSetting => {
      return { name, type: kind === "list" ? "array" : "string", description, isRequired: false, isSecret: false };
    },
  );
  // A server starts without the settings of an API.
  const ofApi = (source?.api ? apiSettingsOf(source.api) : []).map((setting): ServerSetting => {
    const { name, description, isSecret, default: value } = setting;
    const given = value === undefined ? {} : { default: value };
    return { name, type: "string", description, isRequired: false, isSecret, ...given };
  });
  const settings = [...ofProvider, ...ofApi];
  return settings.length > 0 ? [[envExample, updateEnvExample("", { settings, removed: [] })]] : [];
}
