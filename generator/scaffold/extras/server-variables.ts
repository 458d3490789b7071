import { settingsOf } from "../../openapi/api-settings.ts";
import type { ProjectSource } from "../../openapi/source.ts";

/** Environment variable of a server. */
export interface ServerVariable {
  readonly name: string;
  /** Description for the user who sets it; one or two sentences. */
  readonly description: string;
  readonly isSecret: boolean;
  /** True if some tool call fails without it. */
  readonly isRequired: boolean;
}

/** Returns the environment variables for the API behind the tools: its address, unless known, and its credentials. */
export function variablesOf(source: ProjectSource | undefined): readonly ServerVariable[] {
  const settings = source?.api ? settingsOf(source.api) : [];
  return settings
    .filter((setting) => setting.default === undefined)
    .map(({ name, description, isSecret, isNeeded }) => ({ name, description, isSecret, isRequired: isNeeded }));
}
