import type { DefinedSettings, SettingsReader } from "./settings.ts";

/** Combines the settings of a definition. A variable that several of them read is listed once. */
export function combineSettings(settings: DefinedSettings | readonly DefinedSettings[]): SettingsReader {
  const readers = [settings].flat().map((one) => one["~settings"]);
  const variables = new Map(readers.flatMap((reader) => reader.variables).map((one) => [one.name, one]));
  return { variables: [...variables.values()], check: () => readers.forEach((reader) => reader.check()) };
}
