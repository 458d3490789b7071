import type { ProjectSource } from "../from/source.ts";

/** A variable of the environment that a server needs. */
export interface ServerVariable {
  readonly name: string;
  /** A sentence for whoever has to fill it in. */
  readonly description: string;
  readonly isSecret: boolean;
}

/** What a server has to be told about the API that its tools call. */
export function variablesOf(source: ProjectSource | undefined): readonly ServerVariable[] {
  const { api } = source ?? {};
  if (!api) return [];
  const address = { name: "API_BASE_URL", description: "Address of the API.", isSecret: false };
  const token = { name: "API_TOKEN", description: "Token that is sent to the API with every request.", isSecret: true };
  return [...(api.address === undefined ? [address] : []), ...(api.credential ? [token] : [])];
}
