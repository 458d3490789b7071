import { isPassword, type Credential } from "../from/operation.ts";
import type { ProjectSource } from "../from/source.ts";

/** A variable of the environment that a server needs. */
export interface ServerVariable {
  readonly name: string;
  /** A sentence for whoever has to fill it in. */
  readonly description: string;
  readonly isSecret: boolean;
  /** Whether some call fails without it. */
  readonly isRequired: boolean;
}

/** What a server has to be told about the API that its tools call. */
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
