/** Settings of servers, read from environment variables. */
export { defineSettings } from "./settings.ts";
export type { DefinedSettings, Settings, SettingsOptions, SettingsReader } from "./settings.ts";
export type { SettingType, SettingVariable } from "./setting-variable.ts";
