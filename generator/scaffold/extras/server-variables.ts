import { isPassword, type Credential } from "../../openapi/operation.ts";
import type { ProjectSource } from "../../openapi/source.ts";

/** Environment variable that a server reads. */
export interface ServerVariable {
  readonly name: string;
  /** Description for the user who sets it; one or two sentences. */
  readonly description: string;
  readonly isSecret: boolean;
  /** True if some tool call fails without it. */
  readonly isRequired: boolean;
}

/** Returns the environment variables for the API that the tools call: its address, unless known, and its credentials. */
export function variablesOf(source: ProjectSource | undefined): readonly ServerVariable[] {
  const { api } = source ?? {};
  if (!api) return [];
  const address = { name: "API_BASE_URL", description: "Address of the API.", isSecret: false, isRequired: true };
  return [...(api.address === undefined ? [address] : []), ...api.credentials.map(toVariable)];
}

function toVariable(credential: Credential): ServerVariable {
  const { variable: name, scheme, isOptional } = credential;
  const what = isPassword(credential) ? "Name and password, as name:password," : "Token";
  const readable = scheme
    .replaceAll(/[^\w .-]+/g, " ")
    .trim()
    .slice(0, 60);
  const use = isOptional ? "The API answers without it, too." : "";
  const description = `${what} for what the API calls ${readable || "its security"}. ${use}`.trim();
  return { name, description, isSecret: true, isRequired: !isOptional };
}
